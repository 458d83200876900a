/**
 * Words around secrets in many languages: names of secrets, words that bind a value to a name, and words that make a
 * number something else. To add a language: its names, its words for "is", and its usual adjectives.
 */
import { lazily } from '../text/lazily.ts'

/** Letters of scripts that separate words by spaces; in the others, a name can begin at each letter. */
const L = '[\\p{sc=Latin}\\p{sc=Cyrillic}\\p{sc=Greek}\\p{sc=Hebrew}]'

/** Names that always mean a secret. The patterns include endings of cases and plurals. */
const SURE = [
  // en, and what many languages use
  'passwords?|pass ?phrases?|pass ?codes?|passwd|pwd|pw|pins?|pin[- ]?(?:code|number|codes|numbers)s?|puk|otp|cvv2?|cvc2?|cid|csc|iban|ssn|snmp community|community strings?',
  '(?:api|private|secret|access|activation|unlock|licen[cs]e|product|encryption|recovery|wi-?fi|wlan|wpa2?|network|ssh|signing|account|master|network security)[- ]?keys?',
  '(?:access|api|auth|bearer|refresh|bot|session|security|login|personal access)[- ]?tokens?',
  '(?:seed|recovery|backup|mnemonic|secret)[- ]?(?:phrase|words)s?|mnemonic',
  '(?:credit|debit|bank|visa|master)[- ]?cards?(?: numbers?)?|card numbers?|account numbers?|social security numbers?|security numbers?|credentials?',
  "(?:safe|vault|lock|locker|padlock|bike)(?: lock)?(?:'s)? combinations?|combination (?:of|for|to) the [\\p{L}]+",
  `(?:security|safe|secret|memorable) (?:answer|word)|(?:${L}{1,20} )?(?:key ?pad|key ?box|lock ?box)`,
  // de, nl, sv, da, no
  `${L}{0,20}-?(?:passwort|passw[öo]rter|kennwort|kennw[öo]rter|passwor[dt]s|geheimzahl|geheimnummer)${L}{0,3}`,
  `(?:bank|konto|sim|handy|karten|ec|giro|tür|geräte|sms|push|photo|foto|wlan|eltern|master)-?(?:pin|tan)|pinnummer|${L}{0,20}(?:netzwerk|wlan|lizenz|zugangs|sicherheits|wiederherstellungs)-?schlüssel|${L}{0,20}kartennummer|kontonummer|${L}{0,20}(?:tresor|schloss|safe)-?kombination|kreditkarte|bankkarte`,
  `${L}{0,20}wacht(?:woord|woorden)|pincodes?|${L}{0,20}sleutelcode|rekeningnummer|kaartnummer|creditcard|toegangssleutel|${L}{0,20}l[öo]senord${L}{0,20}|${L}{0,20}adgangskode${L}{0,20}|${L}{0,20}passord${L}{0,20}|${L}{0,20}salasana${L}{0,20}`,
  // fr, es, pt, it, ro, ca
  'mots? de passe|mdp|codes? (?:secret|pin|confidentiel)s?|phrase (?:secr[eè]te|de passe)|num[ée]ro de (?:la )?carte(?: bancaire| bleue| de cr[ée]dit)?|carte (?:bancaire|bleue|de cr[ée]dit)|cl[ée] (?:api|wi-?fi|priv[ée]e|secr[eè]te|de s[ée]curit[ée]|de r[ée]cup[ée]ration)|cryptogramme|digicode|identifiants',
  'contrase[ñn]as?|claves? (?:secreta|de acceso|del? (?:wi-?fi|banco|cajero|portal|router|correo|tarjeta|alarma|caja fuerte))|n[úu]mero (?:secreto|de (?:la )?tarjeta(?: de cr[ée]dito)?)|tarjeta de cr[ée]dito|palabra clave|frase (?:semilla|secreta|de recuperaci[óo]n)|llave (?:api|privada)|contrasenya',
  'senhas?|palavra[- ]passe|palavras[- ]passe|n[úu]mero do cart[ãa]o|cart[ãa]o de cr[ée]dito|chave (?:api|privada|de acesso|pix|secreta|do wi-?fi)|frase de recupera[çc][ãa]o',
  "parol[ae] d[’']ordine|parola chiave|codic[ei] (?:segreto|pin)|numero (?:della |di )?carta(?: di credito)?|carta di credito|chiave (?:api|privata|segreta|di accesso|del wi-?fi)|frase (?:segreta|di recupero)|parolă",
  // pl, cs, sk, hr, ru, uk
  `has[łl](?:o|a|em|u|ami|e)|kod(?:u|em|y)? pin|numer(?:u|em)? karty(?: kredytowej)?|klucz(?:a|em)? (?:api|prywatn${L}{1,20}|dostępu)|fraza odzyskiwania|hesl(?:o|a|em|u)|lozink${L}{1,2}|zaporka`,
  `парол${L}{1,4}|пин(?:-?код)?${L}{0,3}|кодов${L}{2} слов${L}{1,2}|номер${L}{0,2} карт${L}{1,2}|секретн${L}{2,3} (?:ключ|фраз|код|слов)${L}{0,3}|сид-?фраз${L}{1,2}|ключ${L}{0,2} (?:api|доступа)`,
  // sv, da, no, fi, hu, cs and others: inflected, compounded, without accents, mistyped
  `${L}{0,20}(?:pin|port|d[öo]rr|larm|grind|garage|d[øo]r|alarm|adgangs|sikkerhe[dt]s|s[äa]kerhets|l[åa]s|eng[åa]ngs|verifierings|sk[åa]p|hus)-?kod${L}{0,3}|(?:pin|ovi|h[äa]lytys|portti|avain|turva)-?koodi${L}{0,20}|tunnusluku${L}{0,20}|tunnusluvu${L}{0,20}|tunnussana${L}{0,20}|pin-?k[óo]d${L}{0,20}|kodeord${L}{0,20}`,
  `parool${L}{0,20}|slapta[žz]od${L}{0,20}|lykilor${L}{0,20}|gesl(?:o|a|u|om)|лозинк${L}{0,20}|contrasinal|pasahitz${L}{0,20}|wagwoord|nenosiri|kata laluan|mật mã|रहस्य|पिन|পাসওয়ার্ড|رمز عبور|رمز|گذرواژه|پاس ورڈ|parol[aeă]?(?:uri|ei|le)`,
  `pas+w(?:or|ro|r|oo?r)?[dt]${L}?|passwor|psw?d|psswd|psw|pword|p/w|paswoorden|ww|пасс?ворд${L}{0,20}|contrase[ñn]ia|contase[ñn]a|contrase[ñn]as?|secret code|${L}{1,20} pin|pin(?:u|em|i|im|in|iniz|imiz|nya|en|et|ek|ům|y)`,
  `(?:mother|mum|mom)(?:['’]s)? maiden name|(?:security|secret) (?:question|answer|word)|r[ée]ponse (?:secr[eè]te|de s[ée]curit[ée])|respuesta (?:secreta|de seguridad)|risposta (?:segreta|di sicurezza)|resposta (?:secreta|de seguran[çc]a)|geheime? antwort|sicherheitsantwort|geheim antwoord|(?:секретн|контрольн)${L}{1,20} ответ${L}{0,20}|gizli cevap${L}{0,20}|(?:code|kod|safe|signal)-?(?:wo+rd|ord)${L}{0,2}|memorable (?:word|name|place)|code ?word|safe ?word|magic word|mot magique|palabra m[áa]gica|palavra m[áa]gica|parola magica|toverwoord|magiczne słowo|волшебное слово|sihirli kelime|wachtzin|parola c[üu]mle${L}{0,6}|wachtwoordzin|passsatz|merksatz|sicherheitswort|(?:palabra|mot|parola|palavra) d[ei] (?:segur|s[ée]cur|sicur)${L}{1,20}|parola segreta|palabra secreta|mots? secrets?|palavra secreta|geheime?s? wort|geheime? woord|(?:l[öo]sungs|geheim|zauber|schl[üu]ssel)-?wort${L}{0,2}|contra-?s?senhas?|(?:tajne|sekretne) słowo|hemligt ord|codewort|m[äa]dchenname${L}{0,20}|sicherheitsfrage|geheimfrage|question (?:secr[eè]te|de s[ée]curit[ée])|nom de jeune fille|pregunta (?:de seguridad|secreta)|(?:apellido|nombre) de soltera|domanda (?:di sicurezza|segreta)|(?:cog)?nome da (?:nubile|ragazza)|pergunta (?:de seguran[çc]a|secreta)|nome de solteira|beveiligingsvraag|geheime vraag|meisjesnaam`,
  `pytani[ea] (?:pomocnicze|bezpieczeństwa|kontrolne)|nazwisko panieńskie|(?:секретн|контрольн)${L}{1,20} вопрос${L}{0,20}|девичь${L}{1,20} фамили${L}{1,20}|güvenlik sorusu${L}{0,20}|kızlık soyad${L}{0,20}|säkerhetsfråga${L}{0,20}|flicknamn`,
  // tr, fi, hu, el, ar, he, hi, id, vi
  `şifre${L}{0,20}|sifre${L}{0,20}|parola(?:s|m|n|y|l)${L}{0,20}|pin['’]${L}{1,20}|kart numara${L}{0,20}|gizli (?:anahtar|kelime|kod)${L}{0,20}|kurtarma (?:kodu|ifadesi|kelimeleri)`,
  `jelszó${L}{0,20}|jelszav${L}{0,20}|κωδικ${L}{2,3}|kata sandi|sandi|mật khẩu|mat khau|كلمة (?:السر|المرور)|الرقم السري|סיסמ${L}{1,3}|पासवर्ड`,
]
/** Places and purposes that make a "code" a secret. */
const OPENS =
  'door|gate|entry|entrance|alarm|safe|vault|lock|locker|padlock|garage|building|apartment|flat|house|office|gym|bike|suitcase|access|security|secret|verification|confirmation|authori[sz]ation|authentication|login|log-?in|sign-?in|backup|recovery|unlock|unlocking|pairing|activation|invite|wi-?fi|wlan|bank|banking|sim|sms|2fa|two-factor|one-time|one time|master|admin|parental|voicemail|front ?door|back ?door|keypad|key box|keybox|lockbox'
const OPENS_MORE =
  "entr[ée]e|porte|porte d[’']entr[ée]e|immeuble|alarme|acc[eè]s|portail|garage|coffre|puerta|alarma|garaje|portal|acceso|seguridad|caja(?: fuerte)?|verificaci[óo]n|porta|port[ãa]o|cofre|acesso|seguran[çc]a|allarme|cancello|cassaforte|accesso|sicurezza|drzwi|bramy|alarmu|sejfu|dostępu|weryfikacyjny|domofon\\p{L}*|двери|сигнализации|домофона|сейфа|доступа|подтверждения|подъезда|ворот|s[ée]curit[ée]|v[ée]rification|pr[ée]dio|candado|cadenas|lucchetto|cadeado"
const CODE = `codes?|c[óo]digos?|codic[ei]|kod(?:u|em|y)?|код${L}{0,3}|kodu|kombinace|combinations?|combinaison|combinaci[óo]n|combinazione|kombination|combinatie`
const CODES = [
  `(?:${OPENS})[- ]?(?:code|codes|number|combination)`,
  `(?:${CODE}) (?:(?:de|da|do|di|du|del|della|от) )?(?:(?:d|dell|all)[’'])?(?:la |le |el |il |o |a |l[’'])?(?:${OPENS_MORE})`,
  `(?:${CODE}) (?:for|to|of|zum|zur|für|für die|für den|der|des|vom|van|voor|pour|para|per) (?:the |my |our |die |das |den |de |het |la |el |le |il |lo |a |o )?(?:\\p{L}+ )?(?:${OPENS}|tür|haustür|alarmanlage|garage|tresor|safe|tor|wohnung|porte|puerta|porta|alarme|alarma|coffre|caja fuerte|cassaforte|deur|poort|kluis|cancello|portail)`,
  `${L}{0,20}(?:tür|tor|zugangs|zutritts|alarm|alarmanlagen|safe|tresor|garagen|sicherheits|entsperr|wiederherstellungs|backup|freischalt|bestätigungs|schloss|schließfach|haus|deur|poort|toegangs|beveiligings|kluis|herstel|ontgrendel)-?(?:code|codes|kombination|kod)`,
  `(?:kapı|kapının|alarm|alarmın|kasa|kasanın|giriş|onay|güvenlik|doğrulama)(?: ${L}{1,20})? kodu${L}{0,20}`,
]
/** Names that have harmless meanings too: they need a word that binds the value. */
const LOOSE = [
  'secrets?|tokens?|keys?|logins?|log-in|pass|pw',
  `${CODE}`,
  'cards?|karte|carte|tarjeta|carta|cart[ãa]o|kaart|karta|карта',
  'токен\\p{L}{0,2}|jeton|tan|losung|parol[ae]|claves?|segredo|secreto|segreto|schlüssel|geheimnis|clé|chiave|chave|llave|klucz|ключ|sleutel|anahtar',
  'zugangsdaten|inloggegevens|credenciales|credenziali|credenciais',
]
const WIDE = [
  '(?:ログイン|ワイファイ|無線LAN)?(?:パスワード|パスコード|暗証番号|暗証コード|セキュリティコード|セキュリティ番号|確認コード|確認番号|認証番号|ワンタイムパスワード|ワンタイムコード|合言葉|(?:復元|リカバリー?|シード|秘密の)?フレーズ(?=[はがを：:])|パスフレーズ|カード番号|口座番号|秘密鍵|ピンコード|認証コード|解錠番号|PIN番号|ピン番号|ロック番号|開錠番号)|パス(?=[はがを：:= ])|旧姓|暗証(?!番号|コード)|秘密の質問(?:の答え)?',
  '(?:密保|安全)(?:问题|問題)?的?答案|(?:登录|登錄|开机|開機|门禁|門禁|银行卡?|支付|无线|锁屏|取款|保险箱)?(?:密码|密碼|口令|暗号|验证码|确认码|安全代码|认证码|動態碼|动态码|驗證碼|银行卡号|卡号|卡號|密钥|私钥|助记词|门禁码|PIN码|激活码|恢复码|解锁码|开锁码|解鎖碼|安全码|提取码|取件码)|安全问题|密保问题|密保',
  '(?:현관 ?)?(?:비밀번호|암호|비번|패스워드|핀 ?번호|핀 ?코드|카드 ?번호|인증 ?번호|인증 ?코드|확인 ?코드|확인 ?번호|보안 ?코드)',
  'รหัสผ่าน',
]
/** Languages without spaces; a name can touch other words there: 我的PIN是. */
const NO_SPACE = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}]'
const alone = (list: readonly string[]) =>
  new RegExp(
    `(?:(?<![\\p{L}\\p{N}_])|(?<=${NO_SPACE}))(?!${NO_SPACE})(?:${list.join('|')})(?:(?![\\p{L}\\p{N}_])|(?=${NO_SPACE}))`,
    'giu',
  )

export const sureName = lazily(() => alone([...SURE, ...CODES]))
export const looseName = lazily(() => alone(LOOSE))
export const WIDE_NAME = new RegExp(WIDE.join('|'), 'giu')

/** What a code opens: near these, a number right after "code" is a secret. */
export const OPENED =
  /(?<!\p{L})(?:doors?|gates?|alarms?|safe|vault|locks?|locker|padlock|garage|shed|keypad|building|wifi|wi-fi|sim|\p{L}*t[üu]r|\p{L}*tor|\p{L}*schlo(?:ss|ß)|tresor|alarmanlage|schließfach|handy|porte|portail|coffre|cadenas|alarme|immeuble|puerta|portal|alarma|candado|garaje|caja fuerte|porta|port[ãa]o|cofre|cadeado|cancello|cassaforte|lucchetto|allarme|deur|poort|kluis|slot|internet|network|netz(?:werk)?|réseau|rede?|rete|netwerk|sieć|sieci|сет\p{L}{1,2}|drzwi|brama|bramy|sejf\p{L}*|alarmu?|домофон\p{L}*|двер\p{L}*|ворот\p{L}*|сейф\p{L}*|замк\p{L}*|kap[ıi]\p{L}*|kasa\p{L}*)(?!\p{L})/iu
/** Words of BINDS that bind even if other words came between: `the password for the printer is …`. */
export const SAYS =
  /^(?:is|are|was|=+>?|:+|->|→|lautet|lauten|ist|hei(?:ß|ss)t|war|est|[ée]tait|c[’']est|es|era|[èé]|jest|brzmi|wynosi|это|luidt|reads)$/iu
/** Adverbs to skip before the value: `was always swordfish`. */
export const ADVERB =
  /^(?:always|still|just|simply|again|actually|immer|schon|noch|einfach|eigentlich|wieder|toujours|encore|simplement|siempre|todav[ií]a|simplemente|sempre|ancora|semplicemente|ainda|simplesmente|altijd|nog|gewoon|zawsze|jeszcze|wci[ąa]ż|po prostu|всегда|ещ[её]|просто|hep|h[âa]l[âa]|alltid|fortfarande|такой|такая|following|folgendes|la siguiente|siguiente|seguente|seguinte|suivant|volgende|nast[ęe]puj[ąa]c\p{L}+|следующ\p{L}+)$/iu
export const BINDS =
  /^(?:[’']s|is|are|was|be|=+>?|:+|->|→|⇒|：|–|—|-|\||lautet|lauten|ist|sind|hei(?:ß|ss)t|war|est|sont|[ée]tait|c[’']est|es|son|era|fue|[èéê]|s[ãa]o|eh|foi|luidt|zijn|to|jest|brzmi|wynosi|это|—|является|таков|был|[şs]u|[şs]udur|[äa]r|er|das|as|equals|becomes|now|is now|nun|jetzt|maintenant|ahora|agora|ora|teraz|теперь|artık)$/iu
/** Binds a name to the value before it: `4711 is the PIN`, `use 4711 as PIN`. */
export const BINDS_BACK =
  /^(?:is|are|was|as|for|that[’']?s|c[’']est|=|:|–|—|-|ist|als|f[üu]r|est|sont|comme|pour|es|como|para|[èée]|come|per|to|jest|jako|это|как|olarak|voor|são|was|war|era|ist)$/iu
/** Small words to skip between name, binding word and value. */
export const SMALL =
  /^(?:the|a|an|my|our|your|his|her|their|its|for|of|to|on|in|at|this|that|new|old|current|same|now|set|der|die|das|den|dem|mein|meine|meinen|unser|unsere|neue|neuer|neues|alte|vom|von|zum|zur|f[üu]r|le|la|les|mon|ma|mes|notre|nos|du|de|des|pour|nouveau|nouvelle|el|los|las|mi|mis|nuestro|nuestra|nueva|nuevo|del|para|il|lo|gli|mio|mia|nostro|nostra|della|dello|per|nuova|nuovo|o|os|as|meu|minha|nosso|nossa|da|do|dos|nova|novo|het|een|mijn|onze|ons|nieuwe|van|voor|moje|moja|m[óo]j|nasz|nasze|nasza|nowe|do|od|мой|моя|моё|мое|наш|наша|новый|новая|новое|от|для|к|bizim|benim|yeni|için)$/iu
/** Words that make the name part of something else: `password policy`, `key ring`. */
export const CONCEPT =
  /^(?:polic(?:y|ies)|managers?|resets?|fields?|forms?|pages?|prompts?|rules?|length|limits?|budgets?|counts?|usage|windows?|hash(?:es|ing)?|strength|expiry|expiration|history|screen|dialog|check(?:er|s)?|validation|rotation|requirements?|attempts?|generator|generation|input|box|settings?|options?|changes?|protected|protection|protect|less|games?|tumbler|boards?|pads?|machines?|pals?|errors?|exceptions?|layout|header|headers|diagram|assignment|mapping|reviews?|base|bases|style|smell|coverage|words?|values?|bindings?|names?|pairs?|files?|sharing|sizes?|format|formats|column|table|leak|leaks|breach|breaches|economy|bucket|refresh|parser|holders?|readers?|trick|tricks|shop|shops|article|articles|chart|charts|point|points|ring|rings|boxes|note|notes|theme|richtlinien?|regeln?|manager|verwaltung|l[äa]nge|feld|abfrage|regels|beleid|veld|spel|postale?|pocztow\p{L}+|fiscale?|source|fuente|fonte|[źz]r[óo]d[łl]ow\p{L}+|freeze|conduct|civil|penal)$/iu
/** A number before one of these is a count. */
export const UNIT =
  /^(?:characters?|chars?|digits?|letters?|words?|symbols?|bits?|bytes?|kb|mb|gb|tokens?|minutes?|min|mins|seconds?|secs?|ms|s|h|hours?|days?|weeks?|months?|years?|times?|attempts?|tries|users?|people|accounts?|entries|items?|pages?|lines?|percent|%|€|\$|£|¥|eur|euros?|usd|dollars?|pounds?|cents?|pln|z[łl]|руб\p{L}*|lira|tl|px|km|cm|mm|kg|stellen|zeichen|ziffern|buchstaben|tage?n?|wochen?|monate?n?|jahre?n?|minuten?|sekunden?|stunden?|mal|versuchen?|uhr|caract[èe]res?|chiffres?|lettres?|jours?|semaines?|mois|ans?|ann[ée]es?|heures?|fois|essais|caracteres|d[íi]gitos?|letras|d[íi]as?|semanas?|meses|a[ñn]os?|horas?|minutos?|veces|intentos|caratteri|cifre|lettere|giorni|settimane|mesi|anni|ore|minuti|volte|tentativi|dias|anos|vezes|tentativas|tekens|cijfers|letters|dagen|weken|maanden|jaar|keer|pogingen|uur|znak[óo]w|znaki|cyfry?|cyfr|liter|dni|tygodni|miesi[ęe]cy|lat|razy|godzin|minut|символ\p{L}*|знак\p{L}*|цифр\p{L}*|букв\p{L}*|дн\p{L}*|недел\p{L}*|месяц\p{L}*|лет|раз\p{L}*|минут\p{L}*|час\p{L}*|karakter\p{L}*|haneli|hane|rakam\p{L}*|harf\p{L}*|gün\p{L}*|hafta\p{L}*|ay|yıl\p{L}*|kez|defa|saat\p{L}*|dakika\p{L}*)$|^(?:年|月|日|号|號|个|個|位|条|次|天|分|分钟|桁|文字|回|件|円|元|자리|글자|일|번|개)/iu
export const NUMBERED =
  /^(?:lines?|pages?|step|chapter|port|version|section|room|article|issue|ticket|pr|#|no|nr|nº|n°|§|top|least|most|minimum|maximum|exactly|than|every|after|within|about|error|exit|status|http|return|response|zip|postal|post|country|area|order|iso|rfc|din|cve|pci|kb|isbn|ean|ref|commit|hash|sha|revision|build|release|invoice|flight|booking|product|promo|discount|coupon|dress|source|bar|qr|morse|tax|fiscal|colou?r|language|seite|zeile|schritt|kapitel|raum|zimmer|artikel|mindestens|h[öo]chstens|[üu]ber|unter|nach|alle|fehler|postleitzahl|plz|rechnung|ligne|chapitre|[ée]tape|salle|moins|plus|apr[èe]s|erreur|postal|facture|p[áa]gina|l[íi]nea|paso|cap[íi]tulo|sala|menos|m[áa]s|error|pagina|riga|passo|stanza|almeno|dopo|errore|linha|erro|regel|stap|kamer|minstens|fout|strona|wiersz|krok|pok[óo]j|najmniej|b[łl][ęa]d\p{L}*|страниц\p{L}*|строк\p{L}*|шаг\p{L}*|комнат\p{L}*|менее|более|ошибк\p{L}*|sayfa|satır|adım|oda|az|hata)$/iu
/** Comes before a year. */
export const WHEN =
  /^(?:in|since|until|by|of|from|before|after|year|seit|bis|von|vom|ab|jahr|im|en|depuis|avant|d[èe]s|del?|desde|hasta|a[ñn]o|dal?|nel|dal|fino|anno|em|até|ano|sinds|tot|vanaf|van|od|do|w|roku|с|до|в|от|года?|january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|m[äa]rz|mai|juni|juli|oktober|dezember|janvier|f[ée]vrier|mars|avril|juin|juillet|ao[ûu]t|enero|febrero|marzo|abril|mayo|junio|julio)$/iu
/** Days, which are not values: `reset the password on Monday`. */
export const DAY =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo|luned[ìi]|marted[ìi]|mercoled[ìi]|gioved[ìi]|venerd[ìi]|sabato|domenica|segunda|ter[çc]a|quarta|quinta|sexta(?:-feira)?|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|poniedzia[łl]\p{L}*|wtor\p{L}*|[śs]rod\p{L}|czwart\p{L}*|pi[ąa]t\p{L}*|sobot\p{L}|niedziel\p{L}|понедельник\p{L}*|вторник\p{L}*|сред[аеу]|четверг\p{L}*|пятниц\p{L}|суббот\p{L}|воскресень\p{L}|pazartesi|sal[ıi]|[çc]ar[şs]amba|per[şs]embe|cuma|cumartesi|m[åa]ndag|tisdag|onsdag|torsdag|fredag|l[öo]rdag|s[öo]ndag|today|tomorrow|tonight|yesterday|heute|morgen|gestern|demain|hier|ma[ñn]ana|ayer|domani|ieri|amanh[ãa]|ontem|vandaag|gisteren|jutro|wczoraj|dzi[śs]|сегодня|завтра|вчера|bug[üu]n|yar[ıi]n|d[üu]n|idag|imorgon)$/iu
/** Words of NUMBERED that limit an amount; they mean nothing before letters mixed with digits. */
export const LIMIT =
  /^(?:top|least|most|minimum|maximum|exactly|than|every|after|within|about|return|order|area|mindestens|höchstens|[üu]ber|unter|nach|alle|moins|plus|apr[èe]s|menos|m[áa]s|almeno|dopo|minstens|najmniej|менее|более|az|dress|no|nr)$/iu
/**
 * Words of NUMBERED whose numbers are low: five digits after them are something else, as in `banque en ligne 704318`.
 */
export const LOW =
  /^(?:lines?|pages?|step|chapter|section|room|article|seite|zeile|schritt|kapitel|raum|zimmer|artikel|ligne|chapitre|[ée]tape|salle|p[áa]gina|l[íi]nea|paso|cap[íi]tulo|sala|riga|passo|stanza|linha|linea|regel|stap|kamer|strona|wiersz|krok|pok[óo]j|страниц\p{L}*|строк\p{L}*|шаг\p{L}*|комнат\p{L}*|sayfa|satır|adım|oda)$/iu
