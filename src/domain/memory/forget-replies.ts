/** Replies to requests to forget, in the language of the request. */
import type { Language } from './forget-words.ts'

export interface Replies {
  readonly done: string
  /** `{n}` facts match, and none was removed. */
  readonly several: string
  readonly which: string
  readonly more: string
  /** Where the words remain: of a private conversation, and if git history contains them too. */
  readonly remains: string
  readonly remainsInGit: string
  readonly busy: string
}

export const REPLIES: Readonly<Record<Language, Replies>> = {
  en: {
    done: 'Forgotten',
    several: '{n} facts fit, so I have forgotten none:',
    which: 'Which one? Say "forget" with words of that one, or "forget everything about …" for all of them.',
    more: 'and {n} more',
    remains: 'This conversation still contains it; it is not part of memory.',
    remainsInGit: 'This conversation and git history still contain it; they are not part of memory.',
    busy: 'I could not forget it just now: a file of memory is being edited. Please say it again.',
  },
  de: {
    done: 'Vergessen',
    several: '{n} Einträge passen, deshalb habe ich keinen vergessen:',
    which: 'Welchen? Sag „vergiss“ mit Wörtern daraus, oder „vergiss alles über …“ für alle.',
    more: 'und {n} weitere',
    remains: 'In dieser Unterhaltung steht es noch; sie gehört nicht zum Gedächtnis.',
    remainsInGit:
      'In dieser Unterhaltung und in der Git-Historie steht es noch; sie gehören nicht zum Gedächtnis.',
    busy: 'Das ging gerade nicht: Eine Datei des Gedächtnisses wird bearbeitet. Bitte sag es noch einmal.',
  },
  es: {
    done: 'Olvidado',
    several: 'Coinciden {n} datos, así que no he olvidado ninguno:',
    which: '¿Cuál? Di «olvida» con palabras de ese, u «olvida cuanto sabes sobre …» para todos.',
    more: 'y {n} más',
    remains: 'Esta conversación aún lo contiene; no forma parte de la memoria.',
    remainsInGit: 'Esta conversación y el historial de git aún lo contienen; no forman parte de la memoria.',
    busy: 'Ahora mismo no he podido: se está editando un archivo de la memoria. Dilo otra vez, por favor.',
  },
  fr: {
    done: 'Oublié',
    several: '{n} informations correspondent, je n’en ai donc oublié aucune :',
    which: 'Laquelle ? Dites « oublie » avec ses mots, ou « oublie tout sur … » pour toutes.',
    more: 'et {n} de plus',
    remains: 'Cette conversation le contient encore ; elle ne fait pas partie de la mémoire.',
    remainsInGit:
      'Cette conversation et l’historique git le contiennent encore ; ils ne font pas partie de la mémoire.',
    busy: 'Impossible pour l’instant : un fichier de la mémoire est en cours de modification. Redites-le, s’il vous plaît.',
  },
  it: {
    done: 'Dimenticato',
    several: 'Corrispondono {n} informazioni, quindi non ne ho dimenticata nessuna:',
    which: 'Quale? Di’ «dimentica» con parole di quella, o «dimentica tutto su …» per tutte.',
    more: 'e altre {n}',
    remains: 'Questa conversazione lo contiene ancora; non fa parte della memoria.',
    remainsInGit:
      'Questa conversazione e la cronologia git lo contengono ancora; non fanno parte della memoria.',
    busy: 'Ora non è stato possibile: un file della memoria è in modifica. Ripetilo, per favore.',
  },
  pt: {
    done: 'Esquecido',
    several: '{n} informações correspondem, por isso não esqueci nenhuma:',
    which: 'Qual? Diga «esquece» com palavras dessa, ou «esquece tudo sobre …» para todas.',
    more: 'e mais {n}',
    remains: 'Esta conversa ainda o contém; não faz parte da memória.',
    remainsInGit: 'Esta conversa e o histórico do git ainda o contêm; não fazem parte da memória.',
    busy: 'Não foi possível agora: um ficheiro da memória está a ser editado. Diga outra vez, por favor.',
  },
  nl: {
    done: 'Vergeten',
    several: '{n} feiten passen, dus ik heb er geen vergeten:',
    which: 'Welke? Zeg "vergeet" met woorden daaruit, of "vergeet alles over …" voor allemaal.',
    more: 'en nog {n}',
    remains: 'Dit gesprek bevat het nog; het hoort niet bij het geheugen.',
    remainsInGit: 'Dit gesprek en de git-geschiedenis bevatten het nog; ze horen niet bij het geheugen.',
    busy: 'Dat lukte nu niet: een bestand van het geheugen wordt bewerkt. Zeg het nog een keer.',
  },
  pl: {
    done: 'Zapomniane',
    several: 'Pasuje {n} informacji, więc nie zapomniałem żadnej:',
    which: 'Która? Powiedz „zapomnij” ze słowami z niej albo „zapomnij wszystko o …”, aby usunąć wszystkie.',
    more: 'i jeszcze {n}',
    remains: 'Ta rozmowa nadal to zawiera; nie należy do pamięci.',
    remainsInGit: 'Ta rozmowa i historia git nadal to zawierają; nie należą do pamięci.',
    busy: 'Teraz się nie udało: plik pamięci jest edytowany. Powtórz, proszę.',
  },
  ru: {
    done: 'Забыто',
    several: 'Подходят записи: {n}, поэтому ни одна не забыта:',
    which: 'Какую? Скажите «забудь» словами из неё или «забудь всё про …» для всех.',
    more: 'и ещё {n}',
    remains: 'В этой беседе это ещё есть; она не входит в память.',
    remainsInGit: 'В этой беседе и в истории git это ещё есть; они не входят в память.',
    busy: 'Сейчас не получилось: файл памяти редактируется. Повторите, пожалуйста.',
  },
  sv: {
    done: 'Glömt',
    several: '{n} uppgifter passar, så jag har inte glömt någon:',
    which: 'Vilken? Säg "glöm" med ord ur den, eller "glöm allt om …" för alla.',
    more: 'och {n} till',
    remains: 'Det här samtalet innehåller det fortfarande; det hör inte till minnet.',
    remainsInGit: 'Det här samtalet och git-historiken innehåller det fortfarande; de hör inte till minnet.',
    busy: 'Det gick inte just nu: en minnesfil redigeras. Säg det igen.',
  },
  tr: {
    done: 'Unutuldu',
    several: '{n} bilgi uyuyor, bu yüzden hiçbirini unutmadım:',
    which: 'Hangisi? Onun sözcükleriyle "unut" deyin ya da hepsi için "… hakkında her şeyi unut" deyin.',
    more: 've {n} tane daha',
    remains: 'Bu konuşmada hâlâ var; konuşma belleğin parçası değildir.',
    remainsInGit: 'Bu konuşmada ve git geçmişinde hâlâ var; bunlar belleğin parçası değildir.',
    busy: 'Şu anda olmadı: bir bellek dosyası düzenleniyor. Lütfen yeniden söyleyin.',
  },
  zh: {
    done: '已忘记',
    several: '有 {n} 条符合，所以一条也没有忘记：',
    which: '是哪一条？请用其中的词再说一次“忘记…”，或者说“忘记关于…的一切”。',
    more: '还有 {n} 条',
    remains: '这段对话里还有它；对话不属于记忆。',
    remainsInGit: '这段对话和 git 历史里还有它；它们不属于记忆。',
    busy: '刚才没能忘记：一个记忆文件正在被编辑。请再说一次。',
  },
  ja: {
    done: '忘れました',
    several: '{n} 件が当てはまるため、どれも忘れていません：',
    which: 'どれですか。その言葉を入れて「…を忘れて」、すべてなら「…のことを全部忘れて」と言ってください。',
    more: 'ほか {n} 件',
    remains: 'この会話にはまだ残っていますが、記憶には含まれません。',
    remainsInGit: 'この会話と git の履歴にはまだ残っていますが、記憶には含まれません。',
    busy: '今は忘れられませんでした。記憶のファイルが編集中です。もう一度言ってください。',
  },
  ko: {
    done: '잊었습니다',
    several: '{n}개가 해당하여 아무것도 잊지 않았습니다:',
    which: '어느 것인가요? 그 말로 "… 잊어줘", 전부라면 "… 전부 잊어줘"라고 말해 주세요.',
    more: '그 외 {n}개',
    remains: '이 대화에는 아직 남아 있지만 기억에는 포함되지 않습니다.',
    remainsInGit: '이 대화와 git 기록에는 아직 남아 있지만 기억에는 포함되지 않습니다.',
    busy: '지금은 잊지 못했습니다. 기억 파일이 편집 중입니다. 다시 말해 주세요.',
  },
}
