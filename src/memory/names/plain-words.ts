// Capitalised words that are no names: the calendar, titles, units, languages and abbreviations,
// English and German. All in lower case.

/** Months, weekdays, seasons and holidays, with their abbreviations. */
export const calendarWords: ReadonlySet<string> = new Set(
  `
advent apr april aug august autumn christmas dec december dezember di dienstag do donnerstag
easter fasching feb februar february fr freitag fri friday fridays frühling h1 h2 halloween
heiligabend herbst jan januar january jul juli july jun june juni jänner karneval kw mai mar
march may mi mittwoch mo mon monday mondays montag märz nov november oct october oktober ostern
pfingsten q1 q2 q3 q4 sa samstag sat saturday saturdays sep sept september silvester so sommer
sonnabend sonntag spring summer sun sunday sundays thanksgiving thu thursday thursdays tue
tuesday tuesdays wed wednesday wednesdays weihnachten winter
`
    .trim()
    .split(/\s+/),
)

/** Titles before a name, which are no part of it. */
export const titles: ReadonlySet<string> = new Set(
  `
aunt auntie brother bruder captain chancellor chef chefin coach cousin dad dipl doctor dr dres
familie frau fräulein grandfather grandma grandmother grandpa granny herr herrn ing judge jur
king kollege kollegen kollegin lady lord madam mama med miss mom mr mrs ms mum mx nurse oma
onkel opa papa pfarrer phil president prince princess prof professor queen saint schwester sir
sister tante trainer trainerin uncle
`
    .trim()
    .split(/\s+/),
)

/** Units, and words beside numbers. */
export const unitWords: ReadonlySet<string> = new Set(
  `
abs am art bst ca celsius cent cents cest cet chf cm dollar dollars est eur euro euros
fahrenheit gb gbp ghz gib gmt grad hz inkl kb kg khz kib kilo km kw kwh liter mb meter mg mhz
mib min ml mm ms mwh nr percent pm pound pounds prozent pst sec std str tb tel tp uhr usd utc
volt vs watt ziff zzgl
`
    .trim()
    .split(/\s+/),
)

/** Languages and nationalities. */
export const languageWords: ReadonlySet<string> = new Set(
  `
afghan african albanian albanisch algerian american amharic amharisch arabic arabisch
argentinian armenian asian australian austrian azerbaijani baskisch basque belgian bengali
bengalisch bosnian bosnisch brazilian british buddhist bulgarisch burmese cambodian canadian
cantonese catalan catholic chilean chinese chinesisch christian colombian creole
croatian cuban czech danish dari deutsch deutsche deutschen deutscher dutch eastern egyptian
englisch english engländer estnisch estonian ethiopian european farsi filipino finnisch finnish
franzosen französisch french galician georgian georgisch german ghanaian greek griechisch
gujarati hausa hawaiian hebrew hebräisch hindi hindu hungarian icelandic igbo indian indonesian
indonesisch iranian iraqi irish isländisch israeli italian italiener italienisch jamaican
japanese japanisch javanese jewish jordanian kannada katalanisch kazakh kenyan khmer korean
koreanisch kroatisch kurdisch kurdish lao latein latin latvian lebanese lettisch libyan
litauisch lithuanian macedonian malay malayalam maltese mandarin maori marathi mexican mongolian
mongolisch moroccan muslim nepali nigerian northern norwegian norwegisch pakistani palestinian
paschtu pashto persian persisch peruvian polish polnisch portugiesisch portuguese protestant
punjabi quechua romanian rumänisch russen russian russisch sanskrit saudi scandinavian scottish
serbian serbisch shiite sikh singaporean sinhala slovak slovene slovenian slowakisch slowenisch
somali southern spanier spanisch spanish suaheli sundanese sunni swahili swedish swiss syrian
tagalog taiwanese tamil telugu thai thailändisch tibetan tigrinya tschechisch tunisian turkish
türken türkisch ukrainian ungarisch urdu usbekisch uzbek venezuelan vietnamese vietnamesisch
walisisch welsh western xhosa yiddish yoruba zulu
`
    .trim()
    .split(/\s+/),
)

/** Common abbreviations. */
export const abbreviations: ReadonlySet<string> = new Set(
  `
ac achtung ai aka api apis asap ascii b2b b2c ba bbq bic bitte bsc cd ceng ceo cet cfo ci cio
cli coo cors covid cpu crud css csv ct cto dc diy dj dna dns dvd ecg ekg er eta faq fyi gp gps
gpu grpc gui hdd hr html http https iban icu id ide ids important io ip ip4 ip6 it jpg json jwt
kfz ki kpi kpis lan led lkw llm ma mba md mfa ml mp3 mp4 mr mri mrt msc must mvp mwst nda never
nicht not note oauth ok okr okrs only oom orm pdf pdfs phd pin pkw plz png poc pr qa ram rest
rfc roi rsvp saas sdk sla slo sms sql ssd ssh ssl sso svg tan tcp tls todo ttl tv udp ui und uri
url urls usb utf uuid ux vat vp vpn warning wc wichtig wifi wip wlan xml yaml
`
    .trim()
    .split(/\s+/),
)
