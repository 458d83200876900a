/** The time zone that counts where TZ names none. */
import { expect, test } from 'vitest'
import { setTimeZone, type ZoneSources } from '../../src/cli/time-zone.ts'

const sources: ZoneSources = {
  intl: () => 'Europe/Paris',
  link: () => '/usr/share/zoneinfo/Asia/Tokyo',
  file: () => 'America/Lima\n',
}
const fails = (): string => {
  throw new Error('there is none')
}

const copied: ZoneSources = { ...sources, link: () => '/etc/localtime' }
const old: ZoneSources = { ...sources, link: () => '/usr/share/zoneinfo/US/Pacific' }
const broken: ZoneSources = { ...sources, link: () => '/usr/share/zoneinfo/Mars/Base' }
const blind: ZoneSources = { ...sources, intl: () => undefined }
const filed: ZoneSources = { ...sources, intl: fails, link: fails }
const bare: ZoneSources = { intl: fails, link: fails, file: fails }

test.each([
  ['unset', undefined, sources, 'Asia/Tokyo'],
  ['empty', '', sources, 'Asia/Tokyo'],
  [':/etc/localtime', ':/etc/localtime', sources, 'Asia/Tokyo'],
  ['a name that there is not', 'Mars/Base', sources, 'Asia/Tokyo'],
  ['unset, with a copied file', undefined, copied, 'Europe/Paris'],
  ['unset, with a link to a former name', undefined, old, 'US/Pacific'],
  ['unset, with a link to a name that there is not', undefined, broken, 'Europe/Paris'],
  ['a name', 'Asia/Seoul', sources, 'Asia/Seoul'],
  ['a name with a colon', ':Asia/Seoul', sources, 'Asia/Seoul'],
  ['the file of a name', ':/usr/share/zoneinfo/Asia/Seoul', sources, 'Asia/Seoul'],
  ['unset and unknown to Intl', undefined, blind, 'Asia/Tokyo'],
  ['unset, with the name in a file alone', undefined, filed, 'America/Lima'],
  ['unset, with nothing', undefined, bare, 'UTC'],
] as const)('setTimeZone() finds the zone where TZ is %s', (_, given, from, zone) => {
  const env: NodeJS.ProcessEnv = given === undefined ? {} : { TZ: given }
  setTimeZone(env, from)
  expect(env['TZ']).toBe(zone)
})

test.each([
  ['JST-9', 'Etc/GMT-9', null],
  ['EST5', 'Etc/GMT+5', null],
  ['<+09>-9', 'Etc/GMT-9', null],
  ['<-03>+3:00', 'Etc/GMT+3', null],
  ['XYZ0', 'UTC', null],
  ['IST-5:30', 'Asia/Tokyo', 'Unknown time zone TZ=IST-5:30: using Asia/Tokyo'],
  ['CET-1CEST,M3.5.0,M10.5.0/3', 'Asia/Tokyo', 'Unknown time zone TZ=CET-1CEST'],
  ['ABC-24', 'Asia/Tokyo', 'Unknown time zone TZ=ABC-24'],
  ['Mars/Base', 'Asia/Tokyo', 'Unknown time zone TZ=Mars/Base'],
])('setTimeZone() takes the rule %s for %s', (given, zone, remark) => {
  const env: NodeJS.ProcessEnv = { TZ: given }
  const said = setTimeZone(env, sources)
  expect([env['TZ'], said]).toEqual([zone, remark === null ? null : expect.stringContaining(remark)])
})
