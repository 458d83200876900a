/**
 * Values of secrets in languages that are written without spaces: near the name, before or after it. Pure.
 */
import type { SaidText, Span } from './secret-text.ts'
import { WIDE_NAME } from './secret-words.ts'

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u
const REPEATED =
  /^[^。！？\n]{0,4}?(?<value>[两兩二三四五六七八九十]个[A-Za-z\d](?:[^。！？\n]{0,2}[两兩二三四五六七八九十]个[A-Za-z\d])*)/u
const AFTER =
  /^(?<lead>[^。！？\n*]{0,16}?)(?<value>[A-Za-z0-9@$!%^&#+=_~-]{3,}(?:[ -]\d{2,})*)(?![A-Za-z0-9]|\s?(?:年|月|日|号|號|个|個|位|条|條|次|天|分|字|桁|文字|回|件|円|元|자리|글자|일|번|개|週|周|ヶ月|か月|時|点|版|章|页|頁|행|%))/u
const BOUND =
  /^\s*(?:は|：|:|＝|=|是|为|為|改成|改为|改為|设为|设成|就是|는|은|이|가|を)\s*[「“"『]?(?<value>[^\s、。,，!?！？」”"』]{2,40}?)(?=[」”"』]|です|だ|に|でした|이야|입니다|예요|[\s、。,，!?！？]|$)/u
const BEFORE =
  /(?<value>[A-Za-z0-9@$!%^&#+=_~-]{4,})[」”"』]?\s?(?:が|は|是|为|為|이|가|を|作为|作為)[^。！？\n0-9A-Za-z]{0,12}$/u
const SAID =
  /^(?:[一二三四五六七八九十\d]+\s?(?:位|个|個|桁|文字|자리|글자)(?!\d)|大文字|小文字|大写|小写|英数|記号|数字|誰|谁|누구|[月火水木金土日]曜|周[一二三四五六日]|星期|[월화수목금토일]요일|明日|今日|昨日|明天|今天|昨天|오늘|내일|어제|什么|什麼|多少|不|必须|必須|应该|應該|要|很|太|正确|正確|错|錯|空|何|必要|変更|忘|正し|間違|短|長|8|무엇|뭐|필요|변경|안전|强|弱|一样|過期|过期|有效|無効|同じ|期限|個人|秘密|安全|重要|已|未|没|沒|被|在|从|從|由|由于)/u

export function wideSpans({ text }: SaidText): readonly Span[] {
  if (!WIDE.test(text)) return []
  return [...text.matchAll(WIDE_NAME)].flatMap((found) => {
    const end = found.index + found[0].length
    const key = found[0]
    const value =
      phraseFrom(text, end, key) ??
      repeated(text, end) ??
      boundTo(text, end) ??
      after(text, end) ??
      before(text, found.index)
    return value === null ? [] : [{ ...value, key }]
  })
}

/** `復元フレーズは りんご うみ …`: three words and more, to the end of the line. */
function phraseFrom(text: string, end: number, key: string): { from: number; to: number } | null {
  if (!/フレーズ$|助记词|助記詞/u.test(key)) return null
  const found = /^\s*[はが是：:]\s*(?<value>[\p{L}]+(?:[ 　、,，]+[\p{L}]+){2,23})/u.exec(
    text.slice(end, end + 300),
  )
  const value = found?.groups?.['value']
  if (found === null || value === undefined) return null
  return { from: end + found[0].length - value.length, to: end + found[0].length }
}

/** `密码六个8`: how often a digit is typed. */
function repeated(text: string, end: number): { from: number; to: number } | null {
  const found = REPEATED.exec(text.slice(end, end + 40))
  const value = found?.groups?.['value']
  if (found === null || value === undefined) return null
  return { from: end + found[0].length - value.length, to: end + found[0].length }
}

function boundTo(text: string, end: number): { from: number; to: number } | null {
  const found = BOUND.exec(text.slice(end, end + 80))
  const value = found?.groups?.['value'] ?? ''
  if (found === null || value === '' || value.includes('***') || SAID.test(value)) return null
  const isWide = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+$/u.test(value)
  const isObject = /^\s*[をが을를]/u.test(found[0])
  if (
    isWide &&
    (isObject ||
      value.length > 12 ||
      /ない|ません|ください|します|しま|した$|する$|세요|해야|不要|需要/u.test(value))
  )
    return null
  if (/^\d+[年月日号個个位条次天分桁文回件円元자리일번개]/u.test(value)) return null
  const from = end + found[0].lastIndexOf(value)
  return { from, to: from + value.length }
}

function after(text: string, end: number): { from: number; to: number } | null {
  const found = AFTER.exec(text.slice(end, end + 60))
  const [lead = '', value = ''] = [found?.groups?.['lead'], found?.groups?.['value']]
  if (
    value === '' ||
    /\*\*\*/.test(lead) ||
    !/\d|[A-Za-z][@$!%^&*#+=~][A-Za-z]/.test(value) ||
    (lead.trim() !== '' && /^(?:19|20)\d\d$/.test(value))
  )
    return null
  if (value.replaceAll(/\D/g, '').length < 3 && !/[A-Za-z]{3}/.test(value)) return null
  return { from: end + lead.length, to: end + lead.length + value.length }
}

function before(text: string, start: number): { from: number; to: number } | null {
  const from = Math.max(0, start - 40)
  const found = BEFORE.exec(text.slice(from, start))
  const value = found?.groups?.['value'] ?? ''
  if (found === null || !/\d/.test(value)) return null
  return { from: from + found.index, to: from + found.index + value.length }
}
