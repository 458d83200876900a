/** What is a fact in the languages of homes, where sentences end, what only holds for now, and what is forgotten. */
import { expect, test } from 'vitest'
import { factsOf } from '../../src/domain/memory/distill-facts.ts'
import { forgetAsked, holdsAll } from '../../src/domain/memory/distill-forget.ts'
import { distill, type Said, sentencesOf, type Texts } from '../../src/domain/memory/distill-rules.ts'
import { hubHome } from '../hub/hub-home.ts'
import { say, user } from './said.ts'

const EMPTY: Texts = { memory: '', history: '', notes: new Map() }

function said(text: string, line: number, speaker = 'human'): Said {
  return {
    ...{ speaker, isPerson: true, text, day: '2026-03-01', time: '09:12' },
    source: `neo-2026-03-01-1:${line}`,
  }
}

test.each([
  ['Please remember that we ship on Mondays', 'we ship on Mondays'],
  ["don't forget that Mia is allergic to nuts", 'Mia is allergic to nuts'],
  ['Merk dir, dass wir z. B. Milch ohne Laktose kaufen', 'wir z. B. Milch ohne Laktose kaufen'],
  ['recuerda que cerramos los lunes', 'cerramos los lunes'],
  ["souviens-toi qu'on ferme le lundi", 'on ferme le lundi'],
  ['ricorda che chiudiamo alle otto', 'chiudiamo alle otto'],
  ['lembra-te de que fechamos cedo', 'fechamos cedo'],
  ['onthoud dat we op maandag sluiten', 'we op maandag sluiten'],
  ['zapamiętaj, że zamykamy o ósmej', 'zamykamy o ósmej'],
  ['запомни, что мы закрываемся в восемь', 'мы закрываемся в восемь'],
  ['请记住：我们星期一关门', '我们星期一关门'],
  ['会議は三時からと覚えておいて', '会議は三時から'],
  ['onthoud dat de fiets in de schuur staat', 'de fiets in de schuur staat'],
  ['noteer dat de bakker op maandag dicht is', 'de bakker op maandag dicht is'],
  ['remember that from now on we ship on Mondays', 'from now on we ship on Mondays'],
])('%s: a fact', (text, value) => {
  expect(factsOf(text)).toEqual([{ key: '', value }])
})

test.each([
  ['my time zone is Asia/Tokyo', 'time zone', 'Asia/Tokyo'],
  ['mein Hund heißt Rex', 'hund', 'Rex'],
  ['mi perro es un galgo', 'perro', 'un galgo'],
  ['mon chien est un caniche', 'chien', 'un caniche'],
  ['la mia bici è rossa', 'bici', 'rossa'],
  ['minha escola é a do centro', 'escola', 'a do centro'],
  ['mijn fiets is groen', 'fiets', 'groen'],
  ['мой город — Казань', 'город', 'Казань'],
  ['我的狗叫小白', '狗', '小白'],
  ['私の犬はポチです', '犬', 'ポチ'],
  ['my shop is open until 18:00', 'shop', 'open until 18:00'],
  ['my visa is valid until 2031', 'visa', 'valid until 2031'],
  ['my favourite day is Friday', 'favourite day', 'Friday'],
  ['my sister is always late', 'sister', 'always late'],
  ['mein Büro ist im Erdgeschoss', 'büro', 'im Erdgeschoss'],
  ['mon bureau est à Lyon', 'bureau', 'à Lyon'],
])('%s: a fact with a key', (text, key, value) => {
  expect(factsOf(text)).toEqual([{ key, value }])
})

test.each([
  ['My name is Ana and we ship on Mondays', 'name: Ana', 'we ship on Mondays'],
  ['my name is Ana and I work at Acme', 'name: Ana', 'I work at Acme'],
  ['my name is ana and work at Acme', 'name: ana', 'work at Acme'],
  ['My name is Ana, I live in Porto', 'name: Ana', 'I live in Porto'],
  ["My name is Ana, and I'm the owner", 'name: Ana', "I'm the owner"],
  ['My name is Ana; we open at nine', 'name: Ana', 'we open at nine'],
  ['My name is Ana – I run the shop', 'name: Ana', 'I run the shop'],
  ['My name is Ana but everyone calls me Annie', 'name: Ana', 'everyone calls me Annie'],
  ['My name is Ana and my dog is Rex', 'name: Ana', 'dog: Rex'],
  [
    'My name is Ana and my dog is Rex and we walk at noon daily',
    'name: Ana',
    'dog: Rex',
    'we walk at noon daily',
  ],
  ['My name is Ana and Bob owns the build', 'name: Ana', 'Bob owns the build'],
  ["My cat is Tom and the neighbour's cat is Jerry", 'cat: Tom', "the neighbour's cat is Jerry"],
  [
    'my email is ana@example.org and I read it every evening',
    'email: ana@example.org',
    'I read it every evening',
  ],
  ['my birthday is 3 May so I take that day off', 'birthday: 3 May', 'I take that day off'],
  ['my time zone is Europe/Lisbon because I moved there', 'time zone: Europe/Lisbon', 'I moved there'],
  ['My phone is 555 0100, it has no voicemail', 'phone: 555 0100', 'it has no voicemail'],
  ['Remember that my name is Ana and that we ship on Mondays', 'name: Ana', 'we ship on Mondays'],
  ['remember my name is Ana and please remember that we ship early', 'name: Ana', 'we ship early'],
  ['My name is Ana and I am tired', 'name: Ana'],
  ['My name is Ana and today we ship late', 'name: Ana'],
  ['My name is Ana and can you help me with the build', 'name: Ana'],
  ['My name is Ana, aka Annie', 'name: Ana, aka Annie'],
  ["My birthday is 4 May and my wife's is 6 June", 'birthday: 4 May', "wife's birthday: 6 June"],
  ["My dentist's number is 12 and my doctor's is 13", "dentist's number: 12", "doctor's number: 13"],
  ["My dentist's number is 12 and 13", "dentist's number: 12 and 13"],
  ['My boss said my desk is 12 and 13'],
  ['Remember that my boss said my desk is 12', 'my boss said my desk is 12'],
  ['my nickname is Annie, short for Ana', 'nickname: Annie, short for Ana'],
  ['My name is Ana von der Heide', 'name: Ana von der Heide'],
  ['my names are Ana and Maria', 'names: Ana and Maria'],
  ['my favourite people are my mum and my dad', 'favourite people: my mum and my dad'],
  ['my favourite colours are the red and the blue', 'favourite colours: the red and the blue'],
  ['my rule is that you call and we answer', 'rule: that you call and we answer'],
  ['my motto is "work hard and we win"', 'motto: "work hard and we win"'],
  ['my office is room 5, on the second floor', 'office: room 5, on the second floor'],
  ['my company is Salt and Pepper', 'company: Salt and Pepper'],
  ['Mein Name ist Ana und wir liefern montags', 'name: Ana', 'wir liefern montags'],
  ['mi nombre es Ana y trabajo en Acme', 'nombre: Ana', 'trabajo en Acme'],
  ['mon nom est Ana et nous livrons le lundi', 'nom: Ana', 'nous livrons le lundi'],
  ['il mio nome è Ana e vivo a Roma', 'nome: Ana', 'vivo a Roma'],
  ['meu nome é Ana e moro no Porto', 'nome: Ana', 'moro no Porto'],
  ['mijn naam is Ana en wij leveren op maandag', 'naam: Ana', 'wij leveren op maandag'],
  ['moje imię to Ana i mieszkam w Gdyni', 'imię: Ana', 'mieszkam w Gdyni'],
  ['моё имя — Анна, и мы работаем по будням', 'имя: Анна', 'мы работаем по будням'],
  ['我的名字是安娜，我住在北京', '名字: 安娜', '我住在北京'],
])('%s: a value ends where its clause does, and the rest is kept', (text, ...facts) => {
  expect(factsOf(text).map(({ key, value }) => (key === '' ? value : `${key}: ${value}`))).toEqual(facts)
})

test.each([
  ...['my dog is sick today', "I'm tired now", 'remember that this week is short', 'my son is sleeping'],
  ...[
    'mein Hund ist heute krank',
    'mein Kopf ist müde',
    'mi perro es hoy un problema',
    'mon fils est malade',
  ],
  ...['мой брат устал', 'запомни, что сегодня дождь', '我的狗今天生病了', '私の犬は今日病気です'],
  ...[
    'My office is closed until Friday',
    'my flight is delayed',
    'my mood is great',
    'my car is broken again',
  ],
  ...['my boss is on vacation for two weeks', 'my meeting is next week', 'my phone is out of order'],
  ...['mein Büro ist bis Freitag geschlossen', 'mein Chef ist im Urlaub', 'mein Zug ist verspätet'],
  ...['meine Laune ist gut', 'mi jefe está de vacaciones', 'mi vuelo es el que está retrasado hoy'],
  ...['mon train est en retard', 'ma voiture est en panne', 'mon magasin est fermé jusqu’à lundi'],
  ...['il mio treno è in ritardo', 'meu voo é até segunda', 'mijn trein is vertraagd'],
  ...['mijn baas is op vakantie', 'mój szef jest na urlopie', 'мой начальник — в отпуске'],
  ...['我的电脑是坏了', '私の車は故障中です', '私の店は月曜まで閉まっています'],
  ...['remember to call the bank', 'vergiss nicht, Milch zu kaufen', 'recuerda comprar leche'],
  ...["n'oublie pas d'acheter du pain", 'ricordati di comprare il latte', 'не забудь купить молоко'],
  ...['what is my time zone?', 'note?', 'I remember that day'],
])('%s: no lasting fact', (text) => {
  expect(distill([said(text, 1)], EMPTY)).toMatchObject({ facts: 0, noted: 1 })
})

test.each([
  ['Dr. Miller is in. My dog is Rex.', ['Dr. Miller is in.', 'My dog is Rex.']],
  ['We use tools, e.g. Vitest. It works.', ['We use tools, e.g. Vitest.', 'It works.']],
  ['Version 3.5 is out. We like it.', ['Version 3.5 is out.', 'We like it.']],
  ['Wir kaufen z. B. Milch. Ich mag sie.', ['Wir kaufen z. B. Milch.', 'Ich mag sie.']],
  ['Am 3. Mai ist zu.', ['Am 3. Mai ist zu.']],
  ['Ask J. Smith at St. James. We do.', ['Ask J. Smith at St. James.', 'We do.']],
  ['La Sra. García llega tarde.', ['La Sra. García llega tarde.']],
  ['今日は休み。明日は開く。', ['今日は休み。', '明日は開く。']],
])('%s ends where it ends', (text, sentences) => {
  expect(sentencesOf(text)).toEqual(sentences)
})

test.each([
  ...['forget my dog', 'please forget that Mia is allergic', 'vergiss bitte, dass der Drucker A3 braucht'],
  ...[
    'olvida mi dirección',
    'oublie que nous fermons',
    'dimentica il mio indirizzo',
    'esquece o meu endereço',
  ],
  ...[
    'vergeet mijn adres',
    'zapomnij o moim psie',
    'забудь про мою собаку',
    '忘记我的地址',
    '把我的生日忘了吧',
  ],
  ...['会議のことは忘れてください'],
])('%s: asks to forget', (text) => {
  expect(forgetAsked(text)?.what).toBeTruthy()
})

test.each([
  'forget it',
  'forget about that',
  'vergiss es',
  'vergiss nicht, Milch zu kaufen',
  'olvídalo',
  '忘れないで',
])('%s: asks nothing of memory', (text) => {
  expect(forgetAsked(text)).toBeNull()
})

test('words of a request are found with another ending', () => {
  expect([holdsAll('собака: Рекс', 'мою собаку'), holdsAll('dogs: Rex', 'my dog')]).toEqual([true, true])
  expect(holdsAll('cat: Tom', 'my dog')).toBe(false)
})

test('what is forgotten and said again is remembered; older values go too', () => {
  const list = ['my dog is Rex', 'my dog is Max', 'forget my dog', 'remember that we sell bread'].map(
    (text, at) => said(text, at + 1),
  )
  const made = distill(list, EMPTY)
  const all = [made.memory, made.history, ...made.notes.values()].join('\n')
  expect(all).not.toMatch(/Rex|Max/)
  expect(made.memory).toContain('we sell bread')
  expect(distill([...list, said('my dog is Fido', 9)], EMPTY).memory).toContain('Fido')
})

const ROOM = { 'rooms/shop/ROOM.md': '---\nname: Shop\n---\n' }

test('a request is carried out at once, without a model: memory, notes, memories and search are without it', async () => {
  const { home, call } = await hubHome(ROOM)
  say(home.dir, user('remember that the zebra lives in the barn'), user('remember that labels are blue'))
  await call('memory.distill', { roomId: 'shop' })
  await call('memory.add', { roomId: 'shop', type: 'note', content: 'A zebra in a barn needs hay' })
  const answer = await call('message.send', { roomId: 'shop', content: 'forget everything about the zebra' })
  expect(answer?.reply).toMatch(/Forgotten \(2\):\n- the zebra lives in the barn\n- A zebra in a barn/)
  expect(answer?.reply).toContain('git history still contain')
  const { results } = await call('memory.search', { query: 'zebra' })
  expect(results.filter(({ snippet }) => /zebra/i.test(snippet))).toEqual([])
  // Git finds no file: it exits with 1.
  expect(() => home.git('grep', '-il', 'zebra', 'HEAD', '--', 'rooms', 'workspace')).toThrow()
  expect(home.read('rooms/shop/memories/MEMORY.md')).toContain('labels are blue')
})

test('several facts that fit are named and stay; a member forgets what they said alone', async () => {
  const { home, call } = await hubHome({
    ...ROOM,
    'workspace/members/ann.md': '---\nrole: parent\npermissions: { rooms: [shop] }\n---\n',
  })
  const ann = { kind: 'member', id: 'ann' } as const
  say(home.dir, user('remember that the key is red'), user('remember that the key is heavy'))
  say(home.dir, user('remember that the cup is round', 'member:ann'))
  // What was said a moment ago counts, though nothing has been distilled yet.
  const send = (content: string, as?: typeof ann) => call('message.send', { roomId: 'shop', content }, as)
  expect((await send('forget the key'))?.reply).toMatch(/2 facts fit, so I have forgotten none/)
  expect((await send('forget the heavy key'))?.reply).toContain('Forgotten: the key is heavy')
  expect((await send('forget the cup', ann))?.reply).toContain('Forgotten: the cup is round')
  expect(home.read('rooms/shop/memories/MEMORY.md')).toContain('the key is red')
})
