/** Announced endpoints that lead into this machine or its cloud. */
import { expect, test } from 'vitest'
import { isInward } from '../../../src/aoi/wire/inward-endpoint.ts'

const INWARD = [
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'localhost.localdomain',
    '127.0.0.1',
    '127.9.9.9',
  ],
  ...['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:a00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001::1]', '169.254.169.254', '[fe80::1]'],
  ...[
    '[fd00:ec2::254]',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'metadata.google.internal',
    'metadata',
  ],
  ...['224.0.0.1', '255.255.255.255', '[ff02::1]', 'instance-data'],
]

test.each(INWARD)('isInward() is true for https://%s:8443', (host) => {
  expect(isInward(`https://${host}:8443`)).toBe(true)
})

test.each([
  '',
  'x',
  '10.0.0.1:8443',
  'file:///etc/passwd',
  'ftp://example.org',
  'https://a:b@example.org',
  'https://',
])('isInward() is true for "%s"', (endpoint) => {
  expect(isInward(endpoint)).toBe(true)
})

test.each([
  'example.org',
  '8.8.8.8',
  '10.0.0.1',
  '192.168.1.5',
  '100.64.0.5',
  '[2606:4700::1]',
  '[fd7a:115c::1]',
  'nas.local',
])('isInward() is false for https://%s:8443', (host) => {
  expect(isInward(`https://${host}:8443`)).toBe(false)
})
