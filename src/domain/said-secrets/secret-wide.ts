/**
 * Values of secrets in languages written without spaces: next to the name, or recognised by their use (金庫は 24-61 で開く,
 * 登录用 Panda#88). As in secret-opened.ts, several classes of words in one clause must agree.
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

/** `復元フレーズは りんご うみ …`: at least three words, up to the end of the line. */
function phraseFrom(text: string, end: number, key: string): { from: number; to: number } | null {
  if (!/フレーズ$|助记词|助記詞/u.test(key)) return null
  const found = /^\s*[はが是：:]\s*(?<value>[\p{L}]+(?:[ 　、,，]+[\p{L}]+){2,23})/u.exec(
    text.slice(end, end + 300),
  )
  return valueAtEnd(found, end)
}

/** `密码六个8`: a digit and how often it is typed. */
function repeated(text: string, end: number): { from: number; to: number } | null {
  return valueAtEnd(REPEATED.exec(text.slice(end, end + 40)), end)
}

/** @param start where the searched part of the text begins */
function valueAtEnd(found: RegExpExecArray | null, start: number): { from: number; to: number } | null {
  const value = found?.groups?.['value']
  if (found === null || value === undefined) return null
  const to = start + found[0].length
  return { from: to - value.length, to }
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

const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
/** A short sentence belongs to the one before it: パスワードを変えました。Yuzu77 です */
const CLAUSE = /(?:(?!\.\s)[^。！？!?；;\n])+(?:[。！？!?]\s*[^。！？!?；;\n]{3,24}(?=[。！？!?；;\n]|$))?/gu
/** Letters, digits and signs; groups of digits continue after a space. */
const VALUE = /\d{1,2}(?:[ -]\d{1,2}){2,}(?!\d)|[A-Za-z0-9@$!%^&*#+=_~.-]{3,}(?:[ -]\d{2,})*/g
const COUNTED =
  /^\s?(?:年|月|日|号|號|个|個|位|条|條|次|天|分|字|桁|文字|回|件|円|元|块|塊|자리|글자|원|일|번(?!호)|개|명|시|층|週|周|ヶ月|か月|時|点|點|版|章|页|頁|行|人|名|歳|岁|度|室|階|层|楼|本|枚|台|%|％|GB|MB|kg|km|cm|mm|ml)/u
const THING =
  /裏口|后门|後門|iPad|iPhone|停车杆|道闸|ゲート|\bID\b|ＩＤ|ゲスト|警備|支付|微信|支付宝|收银|レジ|复印|影印|コピー機|留守電|答录|投影|インターネット|ネットバンク|登陆|网银|차단기|복사기|インターフォン|シャッター|卷帘门|道闸|倉|裏門|侧门|側門|正門|正门|대문|후문|置き場|物置|駐車場|駐輪場|停车场|停車場|주차장|垃圾房|部屋の鍵|银行|銀行|은행|ATM|取款机|ジム|健身房|헬스장|郵便受け|玄关|入口|입구|スーツケース|旅行かばん|カバン|鞄|行李箱|箱子|여행 ?가방|가방|캐리어|セキュリティ|安防|보안|ネットワーク|网络|네트워크|倉庫|仓库|창고|階段|エレベーター|电梯|엘리베이터|プリンター|打印机|프린터|USB|カメラ|摄像头|카메라|財布|钱包|지갑|ポスト|信箱|우편함|VPN|NAS|サーバー|パソコン|PC|サイト|服务器|伺服器|网站|서버|短信|簡訊|SMS|文字|문자|メール|自転車|自行车|자전거|密碼鎖|金庫|金库|保险[箱柜]|保險[箱櫃]|门|門|锁|鎖|电梯|储物柜|車庫|车库|ガレージ|ドア|玄関|オートロック|ロッカー|ロック|宅配ボックス|南京錠|鍵|アラーム|警報|警报|報警|报警|无线|無線|wi-?fi|ワイファイ|路由器|ルーター|登录|登錄|登陆|ログイン|サインイン|账号|帳號|アカウント|邮箱|郵箱|电脑|電腦|パソコン|スマホ|手机|手機|平板|タブレット|银行卡|キャッシュカード|現金卡|SIM|금고|현관|도어락|대문|자물쇠|사물함|로그인|계정|와이파이|노트북|휴대폰|핸드폰|경보|잠금|차고/iu
const OPEN =
  /输|开|開|解锁|解鎖|解除|解錠|打开|输入|輸入|入力|按|押|登录|登錄|ログイン|用|使|入れ|入る|入れる|進|进|설정|입력|누르|눌러|열|해제|로그인|풀|들어가/u
const NAME = /PIN|パス|[码碼]|位数|数字|コード|番号|キー|암호|코드|번호|暗号|口令|暗証|密/u
/** Names that make their value a secret without any other class. */
const CODE = /[码碼](?!率|头|頭|表)|コード(?!番)|암호|코드|暗号|口令|キー/u
const CUE =
  /前と同じ|いつもの|同じやつ|老样子|跟以前一样|늘 쓰는|记|記|记住|覚え|メモ|기억|메모|备忘|備忘|적어|別告|别告|内緒/u
const BOUND_BEFORE =
  /(?:は|が|を|に|是|为|為|成|用|按|入|[:：=＝>→/「“"『，、,密]|로|는|은|이|가|을|를|码|碼|号|號|番号|번호|[一-鿿]{2})\s*$/u
const BOUND_AFTER = /^[」”"』]?\s*(?:で|が|を|です|だ|键|鍵|로|으로|이|야|입니다|开|開|登|进|入|就|这|這|是)/u
/** Things that the number can belong to instead. */
const OTHER =
  /门牌|門牌|牌号|编号|編號|番地|整理券|会員番号|会员号|客户|お客様番号|고객 ?번호|订单|訂單|注文|航班|便名|邮编|郵編|郵便|电话|電話|手机号|手機號|전화|주문|우편|用户名|用戶名|ユーザー名|사용자 ?이름|房间|房間|部屋|会议室|會議室|会議室|회의실|호실|型号|型號|版本|バージョン|버전|运单|快递|追跡|伝票|送り状|学号|工号|社員番号|价格|價格|価格|値段|가격|网址|バス|列车|列車|열차|错误|錯誤|エラー|오류|源代码|ソースコード|QQ|QQ号/u

export function openedWideSpans({ text }: SaidText): readonly Span[] {
  if (!CJK.test(text)) return []
  return [...text.matchAll(CLAUSE)].flatMap(({ index, 0: clause }) =>
    CJK.test(clause)
      ? valuesIn(clause).map(({ from, to }) => ({ from: index + from, to: index + to, key: 'secret' }))
      : [],
  )
}

function valuesIn(clause: string): readonly { from: number; to: number }[] {
  return [...clause.matchAll(VALUE)].flatMap(({ index, 0: value }) => {
    const [before, after] = [clause.slice(0, index), clause.slice(index + value.length)]
    const isValue = isValueLike(value, before) && !COUNTED.test(after) && !OTHER.test(before.slice(-12))
    return isValue && evidence(clause, value, { before, after }) >= 2
      ? [{ from: index, to: index + value.length }]
      : []
  })
}

interface Around {
  readonly before: string
  readonly after: string
}

function evidence(clause: string, value: string, { before, after }: Around): number {
  const sure = clause.match(WIDE_NAME) === null ? 0 : 2
  const signs = [THING, OPEN, NAME, CUE].filter((one) => one.test(clause)).length
  const spaced =
    /\b\d{1,2}(?:[ -]\d{1,2}){2,}(?!\d)|\b\d{3}[ -]\d{3}\b|\d[#*](?!\w)|\d[#*]\d|(?<!\w)[#*]\d/.test(clause)
      ? 1
      : 0
  const isBare = THING.test(clause) && /^[^\d]*\d{3,8}(?!\d)/.test(value) ? 1 : 0
  const isBound = isBare > 0 || spaced > 0 || BOUND_BEFORE.test(before.slice(-8)) || BOUND_AFTER.test(after)
  const says = /(?:は|是|[:：=＝]|就是|는|은)\s*$/u.test(before) ? 1 : 0
  const isTold =
    THING.test(clause) ||
    (spaced > 0 && OPEN.test(clause)) ||
    sure > 0 ||
    (CUE.test(clause) && OPEN.test(clause) && /[A-Za-z]{3}.*\d/.test(value)) ||
    (NAME.test(clause) && (CUE.test(clause) || spaced > 0)) ||
    (CODE.test(clause) && says > 0)
  const strong = /^[A-Za-z]{4,}[@$!%^&*#+=_~.-]?\d{2,6}$|^[A-Za-z][A-Za-z-]{2,}[@$!%^&*#+=_~.-]\w*\d/.test(
    value,
  )
    ? 1
    : 0
  return isTold && isBound ? sure + signs + spaced + says + isBare + strong : 0
}

/** At least four digits that are not a year, or letters with digits or signs. */
function isValueLike(value: string, before: string): boolean {
  const digits = value.replaceAll(/\D/g, '').length
  if (/^[\d -]+[#*]?$/.test(value))
    return (
      (digits >= (/[錠锁鎖]\s?$|자물쇠\s?$/u.test(before) ? 3 : 4) || /^\d(?:[ -]\d)+$/.test(value)) &&
      digits <= 12 &&
      !/^(?:19|20)\d\d$|^\d{4}-\d{2}-\d{2}$/.test(value)
    )
  if (/^v?\d+(?:\.\d+)+$|@[\w-]+\.\w|^[\w-]+\.[a-z]{2,4}$|^[A-Z]{1,3}\d{1,4}$|^\d+[A-Za-z]{1,2}$/.test(value))
    return false
  if (/^\d+[#*]\d+[#*]?$/.test(value)) return true
  if (/^[a-z]{2,}(?:-[a-z]+){2,}$/.test(value)) return /wi-?fi|パス|网|码/i.test(before)
  return (digits > 0 && /[A-Za-z]{2}/.test(value)) || /[A-Za-z][@$!%^&*#+=~][A-Za-z0-9]/.test(value)
}
