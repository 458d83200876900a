/**
 * Classes of words around secrets, by stems in many languages: what a secret opens, verbs for opening, its loose
 * names, and what makes a number something else. Any language can use any stem, so a sentence needs several classes
 * to count. `tresor` matches at the start of a word, `*tresor` anywhere, `~tur` at the end, `=safe` only the whole
 * word. Accents are ignored. To add a language: its stems in each class.
 * Invariant 1: a look-up takes as many steps as the word has letters, no matter how many stems there are.
 */

/** What is opened, entered or switched off with a secret. */
const LOCK = `
network =box wifi =wi-fi wlan *wlan wireless router modem hotspot =vpn =nas =safe safes vault =locker =lockers padlock =lock =locks keypad keybox lockbox
*garag =gate =gates =door =doors doorbell *door alarm *alarm voicemail =sim intercom =shed =suitcase screen-lock lockscreen turnstile elevator =lift
=tur ~tur =tore *haustur *wohnungstur *hintertur *kellertur =tor =tors hoftor tresor *tresor ~schloss alarmanlage schliessfach spind packstation schranke mailbox fahrradkeller tiefgarage
=coffre coffre-fort =porte =portail portillon immeuble cadenas casier interphone visiophone serrure parking
alarma =puerta =portal =verja candado taquilla =caja garaje trastero cerradura cajero portero
cassaforte cancello portone =porta lucchetto allarme armadietto antifurto citofono serratura bancomat
=cofre portao predio cadeado alarme cacifo garagem fechadura interfone
=kluis kluisje *kluis ~deur =poort ~poort =slot ~slot hangslot kastje berging
sejf bram drzwi furtk klodk szafk garaz domofon skrytk zamek zamk
сейф домофон сигнал двер ворот калитк замок замк гараж шкафчик ячейк подъезд роутер вайфа шлагбаум
=kasa kasay kasan =kapi kapisi kapiy kapin kapid kilit kilid dolab dolap garaj asma apartman turnike
kassaskap *dorr =port =porten ~porten larm *larm hanglas =skap ~skapet =laset
pengeskab =dor ~doren hoveddor haengelas =skab ~skabet =boks
kassakaap =ovi =oven =oveen halyt lukko lukon munaluk kaappi
trezor brank *vrata dvere =dveri zamok
=szef szefe ajto riaszto =kapu kaput lakat szekreny
seif =usa =usii poarta =lacat interfonul yala
χρηματοκιβ =πορτα συναγερμ κλειδαρ ντουλαπ
хвіртк сигналіз брам замок
brankas pintu gembok loker
deadbolt bolt =latch cerrojo pestillo verrou chiavistello trinco riegel grendel zasuw засов surgu riddare
building entrance hallway lobby staircase stairwell storage warehouse barn studio =pool =spa =boat trailer briefcase diary safety turnstile carport mailroom
gebaude eingang treppenhaus flur lager scheune werkstatt =boot anhanger aktenkoffer tagebuch gartenhaus gartenlaube ~entor ~hoftor ~ngstor ~rtstor ~haustor fahrrad
residence batiment entree escalier hall ascenseur entrepot grange piscine bateau velo local digicod
edificio entrada escalera ascensor almacen piscina =barco bici maletin
ingresso scale palazzo ascensore magazzino piscina =barca bici valigetta condominio
edificio elevador deposito piscina =barco bicicleta pasta predio
gebouw ingang trappenhuis =lift magazijn zwembad =boot =fiets fiets schuur
budynk wejsci klatk klatce wind magazyn basen lodz rower biur
здани вход лестниц лифт склад бассейн лодк велик кладов сарай
bina giris merdiven asansor depo havuz tekne bisiklet =daire site
byggnad entre trapp hiss forrad cykel =bat bastu
bygning indgang opgang elevator cykel sykkel kjeller
rakennu porras hissi varasto pyora
network hotspot ~netz netzwerk reseau =rete =red =rede netwerk siec сети сеть natverk netvaerk nettverk verkko sit halozat retea δικτυ мереж
backup wallet archiv =usb =disk disks =drive stick festplatte sicherung geldborse cle-usb disque archivo archivio disco pendrive schijf dysk диск архив флешк disk yedek cuzdan hardisk
printer drucker imprimante impresora stampante impressora drukark принтер yazici skrivare kamera camera caméra камер thermostat =tv fernseher =tele televis telewiz телевиз televizyon
=atm cashpoint cash-machine bankautomat geldautomat cajero distributeur bancomat caixa-eletr multibanco geldautomaat pinautomaat bankomat банкомат paraautomat
gym gymnas fitness sportschool sportzaal palestra academia gimnasio silowni спортзал salon brievenbus briefkasten letterbox mailbox postbox *postkasten correio postaladas skrzynk ящик brevlada postkasse kutusu schranka clubhouse klubhaus
=sms =otp =2fa =pin-pad verif bestatig confirm validation валид подтвержд авториз weryfik potwierdz onay dogrul bekraft bekreft
closet cupboard cabinet drawer basement cellar attic luggage suitcase dial burglar security
schlusselkast schlusselbox schlusseltresor koffer keller dachboden einbruch sicherheit zahlenschloss *kasten
boite cave =valise cellier telesurveill securite
maleta sotano trastero buzon segurid
cassetta valigia cantina sicurezza
=mala porao seguranca despensa
sleutelkast sleutelkluis koffer kelder beveilig *kastje
skrzynk walizk piwnic zabezpiecz ochron
охран чемодан подвал камер хранен велосипедн велозам
=celik bavul bodrum guvenlik
kallare vaska resvask sakerhet
kufr sklep borond pince valiz pivnit
internet =till cash-register payment terminal =pos =kasse *kasse caisse =cassa =kassa =kassen касс yazarkasa checkout
copier photocop kopierer *kopierer copieur fotocop kopieerapparaat ksero копир fotokopi kopiator
answering-machine anrufbeantworter mailbox repondeur contestador segreteria antwoordapparaat sekretark автоответчик telesekreter telefonsvar
shutter rollladen rolltor rideau persiana serranda tapparella saracinesca rolluik rolet жалюз роллет kepenk barrier barriere sbarra slagboom szlaban
turoffn toroffn *schrank serverraum serverroom kasam toetsenpan bedieningspan tastenfeld
repeater thermostat dzwonek
замоч щиток *deurtje =hek stromkasten sicherungskasten =badge *badge cassetto blindat
encrypt verschlussel chiffr cifrad cifrat versleutel szyfrow зашифр шифрован sifreli =luks bitlocker veracrypt firewall
cancelletto poortje hekje portail tornello boiler heizung chaudiere caldaia teyb magnitol autoradio`
/** What a secret logs into. Numbers near these are often not secrets, so they count less. */
const ACCOUNT = `
account inbox =login =log-in logins signin sign-in intranet dashboard admin laptop *laptop tablet ipad iphone smartphone =phone computer =pc =mac =pi credential access e-mail email =mail gmail webmail netflix spotify portal forum server serveur servidor serwer сервер sunucu palvelin szerver
konto handy =telefon *handy rechner *rechner einlog zugang logge anmeld zugangsdaten zugang postfach *konto bankkarte ~karte
compte messagerie ordinateur =carte telephone identifiant connexion acces =pc
cuenta tarjeta ordenador movil correo telefono usuario credencial acceso =pc iniciar sesion
=conto =account =carta portatile cellulare utente posta credenzial accesso =pc
conta cartao celular telemovel sistema acesso usuario
rekening inlog toegang inloggegeven =pc bankpas telefoon ~pas
konta koncie poczt logow zalog dane-do dostep =pc =karty =karta telefonu
айпад айфон аккаунт учетк почт логин карт телефон доступ ноут комп вход
hesap hesab kart eposta e-posta posta giris erisim oturum bilgisayar telefon
konto =kort kortet mobil dator inlogg *dator
konto korte mobil computer
tili kortti puhelin kirjaud
ucet karta mobil pocitac prihlas
fiok belep szamla kartya telefon
cont contul card telefonul
λογαριασμ συνδε καρτα κινητ
=bank banking onlinebank banque =banca =banco bankow банк bankac
=insta wordpress gitlab github jira grafana zoom teams slack whatsapp telegram instagram facebook amazon ebay paypal icloud discord steam dropbox booking digid =spid elster gosuslug госуслуг e-devlet
sistem connect conect colleg =logs =ent =moodle захож заход заходи
fritz fritzbox speedport livebox freebox
konsole xbox playstation nintendo =switch консол приставк konsol consol
website web-site webseite =site =sitio =sito profil
рахунок картк`
/** Cards: their numbers count even with a wrong digit. */
const CARD = `card cards =cb =visa mastercard =amex maestro *karte carte tarjeta =carta cartao kaart *kaart karta karty karte карта карты карте картой kart kortet kort kartya`
/** Opening, switching off, typing in, logging in. */
const OPEN = `
open unlock disarm deactivat =enter =gave =give =given =told swipe work =stops regl configur ajust adjust funktion fonctionn funzion funciona werkt dziala работа calis funger =enters entering =type =types typing =dial =dials =press =presses punch =log =logs logging =sign signing =gets =get =getting =use =uses using =works =tap =tapping secur protect lock =set =input key-in =wants =takes =let =lets =set =setting =chose =picked =changed =change =goes combo =punch =hit =reset =switched =made =put =try =ask =asks prompt
*offn *schliess entsperr *sperr entriegel deaktivier *schalt *geben *gibt =gib *tipp =druck druckst =drucken =komm kommst kommt =geht =gab gegeben =nimm =nehm eingestellt gesetzt gewahlt gestellt *geht benutz verwend einlog *meld anmeld entscharf brauchst braucht =rein =reinkommen wahl steht geandert umgestellt gewechselt gestellt versuch probier verlangt =fragt
ouvr deverrouill debloqu desactiv =tape tapez taper =tapes compos entr saisi =fais utilis =donne donner =mis choisi connect accede rentr =mets chang modifi =essaie =essaye demand
=abre =abrir =abro =abra =abren desbloque marca marcar teclea pulsa introduc entr =usa =usar =uso conect lleva acced =dio =doy =pon poner mete =puse quit =quita cambi prueba =pide =pida =pregunta
=apre =apri =aprire =apro =apra =aprono sblocc disattiv disinser digit entr inseri =usa =usare =uso =dato messo scelto impostat acced colleg accedi cambi prova =metti =mettere =fai =chiede =chiedesse
=abre =abrir =abro =abriu destranc desbloqu desativ =dei =deu coloc escolh =pus =digita digit =usa =use acess entra troqu =mudei =mudou tenta =pede =pedir =perguntar
*open *sluit ontgrendel uitschakel uitzet zet uitzet aanzet *toets =tik log inlog gebruik gegeven ingesteld gekozen =staat =gaat kom invoer voer druk gewijzigd veranderd probeer =doet vraagt =vraag
otwier otwar odblok wylacz rozbr zamyka zamkn wpis wpisz =uzyj =dalem =dalam uzyw ustaw logow zaloguj wejsc wchodz nacis wstuk zmieni sprobuj =pyta =spyta zapyta
откры отпира разблок отключ снима сними набер набир введ вводи ввест нажм использ =дал =дала передал постав установ войти заход зайти вход закрыт закрыва =поменя поменя сменил изменил попроб попас спрос запрос просит
acark =ac =acan =acar aciyo acil acma kapat tusl =gir =girin girer giril giris kullan verdi ayarla sustur baglan yazin yazip yazar =yaz devre =bas =basin basip =yaptim =yap degis dene =girmek sorar =ister
*oppn =las =lasa *stang avaktiver *knapp =slar anvand =satte =valt *logg skriv tryck
*abne =lase =slar =sla slas brug tast indtast
avaa avau aukea kayta naytt kirjaud syot paina
otevr odemk zadej zada pouzij vypn odblok vytukej
nyit nyilik kinyit hasznal beir kikapcsol utsd belep feloldo
deschid descui folos introdu apas dezactiv intr tasteaz
ανοιγ ξεκλειδ πατα χρησιμ γραψ μπαιν απενεργ
відкр введ набер відчин вимик
buka masuk pakai tekan ketik`
/** Typing in: the next word is a secret even if nothing says what it opens. */
const KEYED = `
=key-in =punch =punches =press =presses =typing =keyed
tippe tippst tippt eintipp eintast drucke druckst eingeb =eingibst
=tape =tapes =tapez =taper =compose =composez =composer
marca =marque teclea =teclee pulsa =pulse presion
digit schiaccia
digita tecla aperta
=tik =tikt intik intoets =toets =toetst indruk ingeef
wpisz wpisuj wstuk wklep =wbij =wbijasz wcisn nacisn
нажм нажима набер набир введи введите вводи
tusla =bas =basin basip yazip yaziyor
tryck knapp tast indtast`
/** Names of secrets that have harmless meanings too. */
const LOOSE = `
=code =codes *code *codes kode *kode =kod kodu kodem koden kodom kody ~kod ~koden ~koda *koodi *koodin codigo codic kombinac combina kombina kombin код κωδικ
secret geheim segret secret sekret секрет
combo sequen secuen ziffernfolge nummernfolge zahlenfolge zahlenkomb kombi cijfer cyfr kolejnosc последовательн
=clave =claves klic =cod codul =wort =palabra =mot =palavra =woord =slowo =слово =parola токен jeton pass-phrase sifra cifra szyfr шифр`
/** Remembering and keeping secret. */
const CUE = `
remember =note =notes =jot =store =save memori keep =fyi reminder merk =notier notiz *speicher retien retenir =note noter souviens apunta recuerda anota guarda =nota segna segnati ricorda ricordati appunta =anota lembra grava onthoud noteer =bewaar zapamieta zapisz zanotuj запомн запиши запишите hatirla kaydet =not unutma =kom ihag =husk =noter muista muistiin zapamatuj zapis jegyezd retine noteaza θυμησου запамятай ingat catat
usual gewohnt ublich d'hab habitu =solito =solita gewoonte zamanki обычн`
/** In a sentence with these, a number is an amount, a phone number or a reference. */
const AMOUNT = `
charg =fee =fees =bill deposit =rent gebuhr miete loyer frais alquiler aluguel affitto huur czynsz аренд kira cost costs =price =prices =paid =pay worth =call =calls =called =phone-number hotline =tel =ring =fax *kost *preis bezahl =rufe =ruf anruf erreichbar cout =prix appel joindre cuest precio llam costa prezzo chiam preco =lig =liga =ligue =ligar =bel =bellen prijs koszt cena zadzwon dzwon стоимо цена рубл звон позвон fiyat tutar ucret =ara =arayin kostar =pris ring =ringa maksaa hinta stoji =zavolej =ara hivj pret suna weigh wiegt pese pesa weegt wazy весит`
/** The number after these is a place, a person or a reference. */
const REFERENCE = `
=spot =seat =row =level =platz =reihe =sitz =rangee =asiento =fila  =assento =stoel =rij miejsce rzad место ряд koltuk toner cartridge patrone cartuccia cartucho картридж =ral pantone isbn commit sha256 revision ticket issue room section article chapter booking tracking zimmer raum salle stanza =sala kamer pokoj комнат oda nummernschild
user username users benutzer benutzername nutzer utilisateur usuario utente gebruiker gebruikersnaam uzytkownik пользовател kullanici anvandare channel kanal canal canale канал model modell modele modelo modello floor etage planta piano andar verdieping pietro этаж =kat vaning street road strasse street avenue =rue =calle =via =rua straat ulica улиц sokak gata building-number order bestell commande pedido ordine encomenda bestelling zamowi заказ siparis invoice rechnung facture factura fattura fatura factuur faktur счет ticket flight flug =vol vuelo volo voo vlucht =lot рейс ucus train zug =tren =treno trein comboio pociag поезд =bus platform gleis quai anden binario perron spoor peron платформ serial number nummer numero numer номер numara =nr =nro =no seriennummer version build release ssid network-name customer kunde client cliente klant klient клиент name called named`
/** Dates that people use as codes. */
const BIRTHDAY = `
birthday geburtstag geburtsdat anniversaire naissance cumpleanos nacimiento aniversario nascimento compleanno nascita verjaardag geboorte urodzin urodzen рожден =dogum fodelsedag`
/** Streets: the number next to them is a house number. */
const STREET = `
street avenue boulevard =blvd =road =lane =drive =court =strasse ~strasse =str gasse ~gasse ~platz ~allee chaussee =rue =quai chemin =calle avenida paseo plaza =rua travessa alameda praca viale =corso piazza vicolo straat ~straat ~laan ~plein ulica ulicy ulice =ul aleja улиц =ул проспект переул sokak sokag cadde bulvar mahalle gatan ~gatan ~vagen ~gade ~vej`
/** Words next to "code" that make it something else. */
const OTHER_CODE = `
город товар region район стран sehir alan urun ulke
error exit status fail flight booking project airport postc barc felk felc bronc landk landc zipc http zip postal post country area order source dress bar qr morse tax product promo discount coupon colou language return response dial fehler quell lander vorwahl rabatt gutschein farb artikel postleitzahl erreur source pays fiscale fiscal fuente pais barras descuento sorgente sconto fonte postais desconto fout bron korting land pocztow zrodlow bled rabatow kierunkow почтов ошибк исходн штрих posta hata kaynak fel rabatt prodott produc posti virhe psc zdroj chyb hiba irany eroare postal`

const LISTS = {
  lock: LOCK,
  account: ACCOUNT,
  card: CARD,
  open: OPEN,
  keyed: KEYED,
  loose: LOOSE,
  cue: CUE,
  amount: AMOUNT,
  reference: REFERENCE,
  otherCode: OTHER_CODE,
  street: STREET,
  birthday: BIRTHDAY,
} as const
export type StemClass = keyof typeof LISTS

const fold = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ß', 'ss')
    .replaceAll('đ', 'd')
    .replaceAll('ς', 'σ')

interface Stem {
  readonly of: StemClass
  /** Maximum number of letters after the stem. */
  readonly most: number
}

const starts = new Map<string, Stem[]>()
const inner: (readonly [string, StemClass])[] = []
const ends: (readonly [string, StemClass])[] = []
let longest = 0
for (const of of Object.keys(LISTS) as StemClass[])
  for (const stem of fold(LISTS[of]).split(/\s+/).filter(Boolean)) learn(stem, of)

function learn(stem: string, of: StemClass): void {
  const own = stem.slice(1)
  if (stem.startsWith('*')) inner.push([own, of])
  else if (stem.startsWith('~')) ends.push([own, of])
  else {
    const [start, most] = stem.startsWith('=') ? [own, 0] : [stem, moreAfter(stem)]
    starts.set(start, [...(starts.get(start) ?? []), { of, most }])
    longest = Math.max(longest, start.length)
  }
}

/** A short stem also begins many other words. */
function moreAfter({ length }: string): number {
  if (length > 4) return Number.POSITIVE_INFINITY
  return length === 4 ? 5 : 3
}

const known = new Map<string, ReadonlySet<StemClass>>()
/** Limit of the cache. */
const MOST_KNOWN = 5000

/** The classes of a word, and of its parts if it has hyphens or apostrophes. */
export function classesOf(word: string): ReadonlySet<StemClass> {
  const found = known.get(word) ?? foundClasses(word)
  if (known.size > MOST_KNOWN) known.clear()
  known.set(word, found)
  return found
}

function foundClasses(word: string): ReadonlySet<StemClass> {
  const folded = fold(word)
  const parts = new Set([folded, ...folded.split(/['’/-]/)])
  return new Set([...parts].filter((part) => /^\p{L}/u.test(part)).flatMap(classesOfPart))
}

function classesOfPart(part: string): readonly StemClass[] {
  const found: StemClass[] = []
  for (let length = 1; length <= Math.min(part.length, longest); length += 1)
    for (const { of, most } of starts.get(part.slice(0, length)) ?? [])
      if (isRest(part.slice(length), most)) found.push(of)
  for (const [stem, of] of inner) if (part.includes(stem)) found.push(of)
  for (const [stem, of] of ends) if (part.endsWith(stem)) found.push(of)
  return found
}

function isRest(rest: string, most: number): boolean {
  return most === Number.POSITIVE_INFINITY || (rest.length <= most && /^\p{L}*$/u.test(rest))
}
