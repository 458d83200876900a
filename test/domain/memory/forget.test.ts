/** People ask to forget in the languages of homes; what they mean is found, and they are answered in their language. */
import { expect, test } from 'vitest'
import { forgetAsked, holdsAll } from '../../../src/domain/memory/distill-forget.ts'
import { REPLIES } from '../../../src/domain/memory/forget-replies.ts'

test.each([
  ['en', 'the key is under the mat', 'Can you forget that the key is under the mat?'],
  ['en', 'the key is under the mat', 'please delete the key from your memory'],
  ['en', 'the key is under the mat', 'Please forget what I said about the key.'],
  ['de', 'der Schlüssel liegt unter der Matte', 'Vergiss bitte, dass der Schlüssel unter der Matte liegt'],
  ['de', 'der Schlüssel liegt unter der Matte', 'Lösche den Schlüssel aus deinem Gedächtnis'],
  ['es', 'la llave está bajo la maceta', 'Olvida que la llave está bajo la maceta.'],
  ['es', 'la llave está bajo la maceta', 'por favor, olvida lo de la llave'],
  ['fr', 'la clé est sous le pot', 'Oublie que la clé est sous le pot'],
  ['fr', 'la clé est sous le pot', "S'il te plaît, oublie ce que j'ai dit sur la clé"],
  ['it', 'la chiave è sotto il vaso', 'Dimentica che la chiave è sotto il vaso'],
  ['it', 'la chiave è sotto il vaso', 'Dimenticati della chiave'],
  ['pt', 'a chave está debaixo do vaso', 'Esqueça que a chave está debaixo do vaso'],
  ['nl', 'de sleutel ligt onder de mat', 'Vergeet dat de sleutel onder de mat ligt'],
  ['nl', 'de sleutel ligt onder de mat', 'Vergeet de sleutel'],
  ['pl', 'klucz leży pod wycieraczką', 'Zapomnij, że klucz leży pod wycieraczką'],
  ['pl', 'klucz leży pod wycieraczką', 'Zapomnij o kluczu'],
  ['ru', 'ключ лежит под ковриком', 'Забудь, что ключ лежит под ковриком'],
  ['ru', 'ключ лежит под ковриком', 'Удали ключ из памяти'],
  ['sv', 'nyckeln ligger under mattan', 'Glöm att nyckeln ligger under mattan'],
  ['tr', 'anahtar paspasın altında', 'Anahtarın paspasın altında olduğunu unut'],
  ['zh', '钥匙在垫子下面', '忘掉钥匙在垫子下面'],
  ['zh', '钥匙在垫子下面', '把钥匙的事忘了吧'],
  ['ja', '鍵はマットの下にある', '鍵がマットの下にあることを忘れて'],
  ['ja', '鍵はマットの下にあります', '鍵のことは忘れてください'],
  ['ko', '열쇠는 매트 아래 있다', '열쇠가 매트 아래 있다는 걸 잊어줘'],
] as const)('%s: of "%s" is meant by "%s"', (language, fact, said) => {
  const asked = forgetAsked(said)
  expect(asked).toMatchObject({ language, all: false })
  expect(holdsAll(fact, asked?.what ?? '')).toBe(true)
  expect(holdsAll('die Lampe 灯 ランプ lampe lamp лампа is broken', asked?.what ?? '')).toBe(false)
})

test.each([
  ['doctor: Dr. Meier', 'forget who my doctor is'],
  ['doctor: Dr. Meier', "forget my doctor's name"],
  ['arzt: Dr. Huber', 'Vergiss, wer mein Arzt ist'],
  ['arzt: Dr. Huber', 'vergiss den Namen meines Arztes'],
  ['médecin: M. Dupont', 'oublie mon médecin'],
  ['médecin: M. Dupont', 'oublie le nom de mon médecin'],
  ['couleur préférée: bleu', 'oublie quelle est ma couleur préférée'],
  ['médico: Dr. García', 'olvida quién es mi médico'],
  ['medico: Dr. Rossi', 'dimentica chi è il mio medico'],
  ['médico: Dr. Silva', 'esquece quem é o meu médico'],
  ['dokter: Dr. Jansen', 'vergeet wie mijn dokter is'],
  ['lekarz: dr Nowak', 'zapomnij, kto jest moim lekarzem'],
  ['врач: Иванов', 'забудь, кто мой врач'],
  ['医生: 王', '忘记我的医生是谁'],
  ['医者: 田中', '私の医者が誰か忘れて'],
  ['name: Jo', 'forget my name'],
])('the fact "%s" is meant by the question in "%s"', (fact, said) => {
  const what = forgetAsked(said)?.what ?? ''
  expect(holdsAll(fact, what)).toBe(true)
  expect(holdsAll('lampe lámpara lamp lampada лампа 灯 ランプ: rot red', what)).toBe(false)
})

test.each([
  ['en', 'forget everything you know about my key'],
  ['de', 'vergiss alles über den Schlüssel'],
  ['es', 'olvida todo sobre la llave'],
  ['es', 'olvida cuanto sabes sobre la llave'],
  ['fr', 'oublie tout sur la clé'],
  ['it', 'dimentica tutto sulla chiave'],
  ['pt', 'esquece tudo sobre a chave'],
  ['nl', 'vergeet alles over de sleutel'],
  ['pl', 'zapomnij wszystko o kluczu'],
  ['ru', 'забудь всё про ключ'],
  ['zh', '请忘记关于钥匙的一切'],
  ['ja', '鍵のことを全部忘れて'],
])('%s: "%s" asks for all of them', (language, said) => {
  expect(forgetAsked(said)).toMatchObject({ language, all: true })
})

test.each([
  'forget it',
  "don't forget the key",
  'Ich vergesse immer meinen Schlüssel',
  'vergiss es',
  'Vergiss nicht, den Müll rauszubringen',
  'olvídalo',
  'No olvides la llave',
  "N'oublie pas la clé",
  'Non dimenticare la chiave',
  'Não esqueça a chave',
  'Vergeet niet de sleutel',
  'Nie zapomnij klucza',
  'Не забудь ключ',
  '不要忘记钥匙',
  '别忘了钥匙',
  '忘れないで',
  '忘れてた',
  '잊지 마',
  'unutma',
])('"%s" asks to forget nothing', (said) => {
  expect(forgetAsked(said)).toBeNull()
})

test('each language has its own answers, with the places for numbers', () => {
  const done = Object.values(REPLIES).map((replies) => replies.done)
  expect(new Set(done).size).toBe(done.length)
  for (const { several, more } of Object.values(REPLIES)) expect(several + more).toMatch(/\{n\}.*\{n\}/)
})
