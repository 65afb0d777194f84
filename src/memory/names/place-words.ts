// Places, firms and products that are common in everyday texts: in German they stand with articles
// and prepositions as nouns do. All in lower case.

/** Countries, cities and regions. */
export const places: ReadonlySet<string> = new Set(
  `
aachen aarhus abuja accra adelaide afghanistan africa afrika alaska albania albanien algeria
algerien allgäu alpen alps altona america amerika amrum amsterdam andalusia andalusien ankara
antalya antarktis antwerp antwerpen argentina argentinien arizona armenia armenien aschaffenburg
asia asien athen athens atlanta auckland augsburg aurich austin australia australien austria
azoren baden-württemberg baku bali baltimore bamberg bangkok barcelona basel bautzen bavaria
bayern bayreuth beijing beirut belfast belgien belgium belgrad belgrade bergen berlin bern
bernau bielefeld bilbao birmingham bochum bodensee bogota bolivia bolivien bologna bonn bordeaux
borkum bornheim bosnia bosnien boston bottrop bozen brandenburg brasilien bratislava
braunschweig brazil bregenz bremen bremerhaven bretagne brighton brisbane bristol brittany brno
brooklyn brussels brügge brüssel bucharest budapest bukarest bulgaria bulgarien buxtehude cairo
calgary california cambodia cambridge cameroon canada cannes cardiff casablanca catalonia
catania celle charlotte charlottenburg chemnitz chicago chiemsee chile china cloppenburg coburg
cologne colombia colorado como connewitz copenhagen cordoba cork cornwall corsica cottbus crete
croatia croydon cuba cuxhaven cyprus czechia dachau dallas darmstadt deggendorf delhi denmark
denver detroit deutschland devon donau dortmund dresden dubai dublin dubrovnik duisburg dundee
durban dänemark düsseldorf eberswalde ecuador edinburg edinburgh egypt ehrenfeld eifel
eimsbüttel eindhoven eisenach elbe emden england erfurt erlangen essen essex esslingen estland
estonia ethiopia europa europe falkensee finland finnland flensburg florence florenz florida
france franken frankfurt frankreich freiberg freiburg freising friedrichshain fuerteventura
fulda föhr fürth galicien galway gardasee garmisch gdansk gelsenkirchen geneva genf genoa gent
genua georgia georgien gera germany ghana giesing girona glasgow goslar gotha gothenburg granada
graz greece greifswald greiz griechenland großbritannien görlitz göteborg göttingen gütersloh
hagen haifa halberstadt halle hamburg hamm hanau hannover hanoi harz havana hawaii heidelberg
heilbronn helsinki herne hessen hildesheim hiroshima houston hungary husum ibiza iceland india
indien indonesia indonesien ingolstadt innsbruck irak iran iraq ireland irland isar iserlohn
island israel istanbul italien italy izmir jakarta jamaica japan jena jerusalem johannesburg
jordanien kairo kaiserslautern kambodscha kamerun kampala kanada kapstadt karlsruhe kasachstan
kassel katalonien kempten kenia kent kenya kiel kiew klagenfurt koblenz kolumbien konstanz
kopenhagen korea korfu korsika kosovo krakau krakow krefeld kreta kreuzberg kroatien kuba kyiv
kyoto kärnten köln lagos landshut lanzarote laos latvia lausanne lebanon leeds leer leipzig
lettland leverkusen libanon liechtenstein lille lima linden lingen linz lisbon lissabon litauen
lithuania liverpool ljubljana london lublin lucerne ludwigsburg ludwigshafen luxembourg
luxemburg luzern lyon lübeck lüdenscheid lüneburg madeira madrid magdeburg mailand mainz malaga
malaysia mallorca malta manchester manila mannheim marburg marokko marrakesch marrakesh
marseille mecklenburg-vorpommern meißen melbourne memphis meppen meran mexico mexiko miami
michigan milan minsk moabit moers moldova monaco mongolei montenegro montreal morocco moscow
mosel moskau mumbai munich mönchengladbach mühlhausen mülheim münchen münster nagoya nairobi
namibia nantes naples naumburg neapel nepal netherlands neukölln neuruppin neuseeland neuss
nevada newcastle nice niederlande niedersachsen nigeria nizza norderney nordhausen nordhorn
nordrhein-westfalen nordsee normandie normandy norway norwegen nottingham nuremberg nürnberg
oaxaca oberhausen oberstdorf odenwald odessa offenbach ohio oldenburg olomouc ontario
oranienburg oregon osaka oslo osnabrück ostsee ottawa oxford paderborn pakistan palermo palma
panama paris passau perth peru pforzheim philadelphia philippinen philippines phoenix pirna pisa
plagwitz plauen poland polen portland porto portugal potsdam prag prague prenzlauer provence
quebec quedlinburg quito rabat ravenna recklinghausen regensburg reims reutlingen reykjavik
rhein rheinland-pfalz rhodos rhön riga rom romania rome rosenheim rostock rotterdam rumänien
russia russland rügen saalfeld saarbrücken saarland sachsen sachsen-anhalt sachsenhausen
salamanca salzburg salzgitter santander sarajevo sardinia sardinien schleswig-holstein
schottland schwaben schwabing schwarzwald schweden schweinfurt schweiz schwerin scotland seattle
senegal seoul serbia serbien sevilla seville shanghai sheffield sicily siegen singapore singapur
sizilien slovakia slovenia slowakei slowenien sofia solingen spain spanien spessart speyer split
spree stade starnberg stavanger steiermark stockholm stralsund strasbourg straubing straßburg
stuttgart sudan suhl surrey sussex sweden switzerland sydney sylt syria syrien südtirol taiwan
tallinn tampere tansania tanzania tbilisi teltow teneriffa texas thailand thüringen tiflis tirol
tokio tokyo toledo toronto toskana toulouse traunstein trier triest trieste tromsø trondheim
tschechien tunesien tunisia turin turkey tuscany tübingen türkei uganda ukraine ungarn uppsala
uruguay usa usedom utah utrecht valencia vancouver vechta venedig venezuela venice verona vienna
vietnam villingen vilnius virginia wales warsaw warschau wedding weimar wernigerode wien
wiesbaden wilhelmshaven winterthur wismar wittenberge wolfsburg worms wroclaw wuppertal würzburg
york yorkshire zagreb zwickau zypern zürich ägypten äthiopien österreich
`
    .trim()
    .split(/\s+/),
)

/** Firms, brands and programs. */
export const brands: ReadonlySet<string> = new Set(
  `
accenture adac adobe airbnb aldi allianz amazon android angular ansible aok apache apple asana
audi aws axa azure barclays barmer bauhaus bitbucket bmw bolt booking bosch check24 chrome
cloudflare comdirect commerzbank confluence dak databricks datadog datev debeka debian dell
deloitte deutsche-bahn dhl dm docker docusign dpd easyjet ebay edeka edge elasticsearch elster
enbw eon ergo ericsson eurowings excel facebook fedex fiat figma firefox flixbus ford generali
github gitlab google gothaer grafana hagebau hermes heroku hertz hetzner honda hornbach hsbc
huawei huk ikea immoscout instagram ios ista java javascript jenkins jira kafka kaufland klarna
kpmg kubernetes lego lenovo lidl linkedin linux lloyds lufthansa macos mastercard mckinsey
mediamarkt mercedes meta microsoft miele miro mongodb mysql netflix netto nginx nintendo node
nokia notion obi opel oracle outlook pagerduty paypal penny peugeot philips playmobil
playstation porsche postbank postgres powerpoint prometheus python react redis renault revolut
rewe rossmann rust ryanair safari salesforce samsung santander sap saturn schufa sentry
sharepoint siemens signal sixt skoda slack snowflake sony sparkasse spotify stripe tableau teams
techem telegram telekom terraform tesla toyota trello tripadvisor twitter typescript tüv uber
ubuntu ups vattenfall vercel visa vodafone volksbank volkswagen volvo vonovia vue whatsapp
windows wise word wüstenrot xbox youtube zalando zoom
`
    .trim()
    .split(/\s+/),
)
