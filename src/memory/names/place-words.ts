// Common places, companies and products: German texts use them with articles and prepositions, like
// nouns. All in lower case.

/** Countries, cities and regions. */
export const places: ReadonlySet<string> = new Set(
  `
aachen aalen aargau aarhus aberdeen abuja acapulco accra adelaide adria afghanistan africa
afrika agadir ahaus ahlen ahrensburg ahrensfelde aix ajaccio alaska albania albanien albstadt
alfeld algeria algerien alicante alkmaar aller allgäu almere alpen alps alsfeld altenburg
altmühl altona altötting amberg america amerika amiens ammersee amrum amsterdam anchorage ancona
andalusia andalusien andernach angers ankara annaberg annecy ansbach antalya antarktis antwerp
antwerpen aosta apeldoorn apolda appenzell arezzo argentina argentinien arizona arles armenia
armenien arnhem arnsberg arnstadt arosa aschaffenburg aserbaidschan asia asien assisi asturias
asunción athen athens atlanta atlantik attendorn attersee auckland augsburg aurich austin
australia australien austria avignon azoren backnang bad-homburg baden baden-württemberg bahamas
bakersfield baku baldeney bali balingen baltimore bamberg banff bangkok bangladesch barbados
barcelona bargteheide bari barmbek basel baunatal bautzen bavaria bayern bayonne bayreuth bebra
beijing beirut belarus belfast belgien belgium belgrad belgrade benin bensheim beppu bergamo
bergedorf bergen bergheim bergisch-gladbach berlin bern bernau bernburg besançon bhutan biarritz
biberach bielefeld bietigheim bilbao bingen birmingham bitburg bitterfeld blankenburg blankenese
bocholt bochum bodensee bodrum bogenhausen bogota bolivia bolivien bologna bonn bordeaux borkum
borna bornheim bosnia bosnien boston botswana bottrop boulder bournemouth bozen brackwede
bradford braga brandenburg brasilien brasília bratislava braunschweig brazil breda bregenz
breisgau bremen bremerhaven brescia brest bretagne brighton brilon brisbane bristol brittany
brno brooklyn bruchsal bruges bruneck brunsbüttel brussels brügge brühl brüssel bucharest
budapest budva bukarest bulgaria bulgarien burgas burgdorf burgenland burghausen burgos burundi
busan butzbach buxtehude bytom büdingen bühl bünde cadiz caen cagliari cairo calais calgary cali
california calw cambodia cambridge cameroon canada cancun cannes canterbury caracas cardiff
carlisle cartagena casablanca castrop-rauxel catalonia catania celle cham chania charleroi
charlotte charlottenburg cheltenham chemnitz chester chicago chicoutimi chiemsee chile china
chur cincinnati cleveland cloppenburg coburg cochem coesfeld colmar cologne colombia colorado
columbus como connewitz copenhagen cordoba corfu cork cornwall corsica costa-rica cottbus
coventry crailsheim crete croatia croydon cuba cusco cuxhaven cuzco cyprus czechia cádiz córdoba
dachau dakar dallas dannenberg danzig darmstadt davos dayton deauville degerloch deggendorf
delft delhi delitzsch delmenhorst demmin denmark denver dessau detmold detroit deutschland deutz
devon dieppe dietzenbach dijon dillenburg dillingen dinkelsbühl dinslaken djerba doha dollart
dominica donau donaueschingen donautal donauwörth dordrecht dormagen dorsten dortmund dover
dresden dresden-neustadt dubai dublin dubrovnik duderstadt duisburg dundee dunkirk durban durham
durres dänemark döbeln dülmen düren düsseldorf eberswalde eckernförde ecuador eder edersee
edinburg edinburgh eger egypt ehrenfeld eifel eilat eimsbüttel einbeck eindhoven eisenach
eisenhüttenstadt eisenstadt eisleben elbe elbsandstein ellwangen elmshorn emden emmendingen
emmerich ems engadin england ennepetal enschede eppendorf erding erftstadt erfurt erie eritrea
erlangen erzgebirge eschborn eschwege eschweiler essaouira essen essex esslingen estland estonia
ethiopia europa europe euskirchen eutin evora exeter falkensee faro fellbach ferrara fez
fichtelgebirge fidschi figueres fiji filderstadt finland finnland finsterwalde flagstaff
flensburg florence florenz florida fläming foggia folkestone forchheim france franken
frankenberg frankenthal frankfurt frankreich frechen freiberg freiburg freising freudenstadt
friaul fribourg friedberg friedenau friedrichshafen friedrichshain fritzlar fuerteventura
fukuoka fulda funchal föhr fürstenfeldbruck fürstenwalde fürth gabun galata galicien galway
gambia garbsen garching gardasee gardelegen garmisch gdansk geesthacht geislingen geldern
gelnhausen gelsenkirchen geneva genf genoa gent genua georgia georgien gera germany germering
germersheim gevelsberg ghana gibraltar giesing gießen gifhorn gijon gijón girona gladbeck
glasgow glauchau gloucester glückstadt gmunden goch gomera goslar gostenhof gotha gothenburg
granada graubünden graz greece greifswald greiz grenada grevenbroich griechenland grimma
grindelwald gronau groningen großbritannien großenhain großglockner guadalajara guangzhou
guatemala guinea gummersbach guyana göppingen görlitz göteborg göttingen günzburg güstrow
gütersloh haan haarlem hagen haidhausen haifa haiti halberstadt haldensleben halifax halle
hallig haltern hamburg hameln hamilton hamm hanau hangzhou hannover hanoi harare harburg harlem
harrogate harz hattingen havana havel havelland hawaii heidelberg heidenheim heilbronn
heiligenhaus heiligenstadt heinsberg hellersdorf helmstedt helsinki hemer hennef heppenheim
heraklion herborn hereford herford hermsdorf herne herrenberg hersbruck herten herzogenaurach
hessen heusteig hietzing hilden hildesheim hilversum hiroshima hobart hockenheim hof holzminden
homburg honduras hongkong honolulu hoorn houston hoyerswerda hull hungary hunsrück hurghada
husum hyderabad hückelhoven hünfeld hürth ibbenbüren ibiza iceland idaho idar-oberstein idstein
iller illertissen illinois ilm ilmenau immenstadt incheon india indiana indien indonesia
indonesien ingolstadt inn innsbruck interlaken inverness iowa ipswich irak iran iraq ireland
irkutsk irland isar iserlohn island israel istanbul italien italy itzehoe izmir jaipur jakarta
jamaica japan jeddah jemen jena jerusalem jever johannesburg jordanien jülich kaarst kairo
kaiserslautern kaiserstuhl kaliningrad kambodscha kamen kamenz kamerun kamp-lintfort kampala
kanada kanazawa kansas kapstadt karatschi karlsbad karlsruhe karpaten karwendel kasachstan
kassel katalonien katar kathmandu katowice kaufbeuren kaunas kayseri kehl kelkheim kemer kempten
kenia kent kentucky kenya kerala kerpen kevelaer kiel kiew kigali kilkenny killarney kinshasa
kinzig kirchheim kirgisistan kitzbühel kitzingen klagenfurt klaipeda kleve klosters kobe koblenz
kolumbien konstanz kopenhagen korea korfu kornwestheim korschenbroich korsika kosice kosovo
kraichgau krakau krakow krefeld kreta kreuzberg kroatien kronach kuala-lumpur kuba kufstein
kulmbach kuwait kyiv kyoto kärnten köln köln-kalk königssee königswinter köpenick köthen
künzelsau lagos lahn lahnstein lahr lampertheim lancaster landau landshut langenfeld langenhagen
lanzarote laos larisa larnaca larnaka latium latvia lauenburg lausanne lausitz lauterbach laval
lebanon lecce lech leeds leer leeuwarden lefkada lehrte leicester leiden leinfelden leipzig
leoben leon leonberg lesotho lettland leutasch leutkirch leuven levanto leverkusen libanon
liberia libyen lichtenberg lichtenfels lichterfelde liechtenstein lienz ligurien lille lima
limassol limburg limerick limoges lincoln lindau linden lindenthal lingen linköping linz
lippstadt lisbon lissabon litauen lithuania liverpool ljubljana locarno lodz logroño lohmar lohr
loire lolland london lorient lothringen louisiana lublin lucca lucerne luckenwalde ludwigsburg
ludwigshafen ludwigslust lugano luleå lund luxembourg luxemburg luxor luzern lviv lwiw lyon
lörrach lübbecke lübben lübbenau lübeck lüdenscheid lüneburg lünen maas maastricht macau
madagaskar madeira madrid magdeburg mailand mainz malaga malawi malaysia malchow malediven
mallorca malmö malta manchester mangfall manila manitoba mannheim mantua marburg maribor
marienfelde markkleeberg marl marokko marrakesch marrakesh marsala marseille martinique maryland
marzahn massachusetts matera mauretanien mauritius mayen mecklenburg mecklenburg-vorpommern
medellin meerbusch meiningen meißen mekka melbourne melle memmingen memphis menden mendoza
menorca meppen meran merano merseburg merzig meschede messina mettmann metz metzingen mexico
mexiko miami michigan mikronesien milan milwaukee minden minneapolis minnesota minorca minsk
mississippi missouri mittelmeer mittweida moabit modena moers moldova mombasa monaco mongolei
monheim montabaur montana montenegro monterey montpellier montreal montreux moosburg morocco
mosambik mosbach moscow mosel moskau mostar mozambique mulhouse mumbai munich murcia myanmar
mykonos mölln mönchengladbach mühlacker mühldorf mühlhausen mülheim münchen münden münster
münsterland müritz nagasaki nagold nagoya nairobi namibia namur nancy nantes naples narvik natal
naumburg naxos neapel nebraska neckar neckarsulm neiße nepal netherlands nettetal neubrandenburg
neuburg neukölln neumarkt neumünster neunkirchen neuruppin neuseeland neusiedl neuss neustadt
neustrelitz neuwied nevada newark newcastle newport nicaragua nice nidda niebüll niederlande
niederrhein niedersachsen niederösterreich nienburg nigeria nikosia nimes nimwegen nippes nizza
niš nordenham norderney norderstedt nordhausen nordhorn nordirland nordkorea nordmazedonien
nordrhein-westfalen nordsee nordstemmen norfolk normandie normandy northampton northeim norway
norwegen norwich nottingham novara novi-sad nuremberg nymphenburg nürnberg nürtingen oakland
oaxaca oban oberbayern oberhausen oberkassel oberlausitz oberpfalz obersendling oberstdorf
oberösterreich odenwald odessa oelde oer-erkenschwick offenbach offenburg ohio ohrdruf oklahoma
olching oldenburg oldesloe olomouc olpe olsberg omaha oman ontario oporto oran oranienbaum
oranienburg oregon orlando orléans osaka oschatz oschersleben oslo osnabrück ostende osterode
ostfriesland ostrava ostsee ottakring ottawa ottensen oulu overath oviedo oxford paderborn padua
pakistan palermo palma pamplona panama pankow paphos paraguay parchim paris parma pasewalk
pasing passau patras pattaya pavia pazifik pegnitz peine peloponnes pempelfort pennsylvania
perleberg perpignan perth peru perugia pescara pfalz pforzheim philadelphia philippinen
philippines phoenix phuket piemont pilsen pinneberg pirmasens pirna pisa pittsburgh plagwitz
plauen plettenberg plovdiv plymouth plön poitiers poland polen pompeji pontevedra poreč portland
porto portsmouth portugal posen potsdam poznan prag prague prenzlau prenzlauer prignitz pristina
provence puerto-rico pula pulheim punta-cana quebec quedlinburg quickborn quimper quito rabat
radebeul radolfzell ragusa raleigh rapallo rastatt ratekau rathenow ratingen ravenna ravensburg
recklinghausen regensburg reims reinbek reinickendorf remagen remscheid rendsburg rennes
rethymno reutlingen reutte reykjavik reykjavík rheda rhein rheinbach rheinberg rheine
rheinland-pfalz rhodes rhodos rhön riesa riga rijeka rimini rinteln rioja rixdorf riyadh
rochester rodgau rom romania rome rosenheim rostock rottenburg rotterdam rottweil rouen rovinj
ruanda rudolstadt ruhr ruhrgebiet rumänien russia russland rwanda rügen rüsselsheim saale
saalfeld saar saarbrücken saarland saarlouis sachsen sachsen-anhalt sachsenhausen sacramento
saigon saint-malo salamanca salerno salford salisbury salvador salzach salzburg salzgitter
salzkammergut salzwedel sambia samoa samos san-diego san-francisco sangerhausen sankt-augustin
sansibar santander santiago santorin santorini sapporo saragossa sarajevo sardegna sardinia
sardinien sassnitz saudi-arabien sauerland savannah savoie schaffhausen schladming schlei
schleiz schleswig schleswig-holstein schmalkalden schneeberg schongau schopfheim schorndorf
schottland schramberg schwabach schwaben schwabing schwalmstadt schwandorf schwarzenbek
schwarzwald schweden schwedt schweinfurt schweiz schwelm schwerin schwerte schwyz schöneberg
scotland seattle seefeld seesen segovia selb selm sendai sendling senegal senftenberg seoul
serbia serbien setúbal sevilla seville seychellen shanghai shannon sheffield shenzhen shrewsbury
sibirien sibiu sicily siegburg siegen siegerland siena sierra-leone sigmaringen simbabwe
sindelfingen singapore singapur sinsheim sizilien skagen skopje sligo slovakia slovenia slowakei
slowenien soest sofia solingen solothurn soltau somalia somerset sondershausen sonneberg
sonthofen sorrent sorrento southampton southend spain spandau spanien spessart speyer split
spree spreewald spremberg sri-lanka stade stadthagen starnberg stavanger steglitz steiermark
steigerwald stendal stirling stockholm stockport stolberg straelen stralsund strasbourg
stratford straubing strausberg straßburg stuttgart stötteritz sudan suffolk suhl sulingen
sulzbach sunderland surrey sussex swansea sweden switzerland sydney sylt syria syrien szczecin
szeged sömmerda südafrika südkorea südtirol sülz tadschikistan taipeh taipei taiwan tallinn
tampere tansania tanzania tarifa tarragona tartu tasmania tauber tauberbischofsheim taunton
taunus tbilisi tegernsee teltow tempelhof templin tenerife teneriffa tennessee ternopil tessin
tettnang teutoburger-wald texas thailand thessaloniki thun thurgau thüringen tiflis tijuana
tilburg timisoara timmendorf tipperary tirana tirol titisee togo tokio tokyo toledo torgau
toronto torquay torremolinos torun toskana toulon toulouse trabzon trani traunreut traunstein
travemünde trento treptow treviso trient trier triest trieste tripolis troisdorf tromsø
trondheim truro tschad tschechien tucson tunesien tunisia turin turkey turkmenistan turku
tuscany tuttlingen tübingen türkei uckermark udine uelzen uetersen uganda uhlenhorst ukraine ulm
umbrien ungarn unna unstrut unterhaching uppsala uruguay usa usbekistan usedom utah utrecht
vaduz valencia valladolid valletta valparaíso vancouver varadero varel varna vatikan vechta
vegesack velbert venedig venezuela venice venlo verbier verden verdun verl vermont verona
versmold vevey viana viareggio vichy vienna viernheim viersen vietnam vigo villach villefranche
villingen vilnius virginia visby vlissingen voerde vogelsberg vogtland voralpen vorarlberg
vorpommern vreden västerås völklingen waadt wadern waiblingen wakefield walchensee waldkraiburg
waldshut wales wallis walsrode waltrop wandsbek wannsee warendorf warnemünde warnow warsaw
warschau warwick wasserburg waterford watzmann wedding wedel weilheim weimar weingarten weinheim
weinstadt weißenburg weißenfels weißensee weißrussland weißwasser wels wendland werdau werder
wermelskirchen wernau wernigerode werra wertheim wesel weser westerwald westfalen wetterau
wetzlar wexford whistler whitby wicklow wien wiesbaden wildeshausen wilhelmshaven willich
wilmersdorf winchester windsor winsen winterhude winterthur wipperfürth wisconsin wismar witten
wittenberg wittenberge wittlich wittstock wolfenbüttel wolfratshausen wolfsburg wolverhampton
worcester worms worpswede wroclaw wunstorf wuppertal wyoming wörthersee wümme würselen würzburg
xanten yokohama york yorkshire ypern yukon zadar zagreb zakopane zakynthos zandvoort zaragoza
zeeland zehlendorf zeitz zell zell-am-see zerbst zermatt zeven zirndorf zittau zugspitze
zweibrücken zwickau zwiesel zwolle zwönitz zypern zürich ägypten ägäis äthiopien österreich
überlingen
`
    .trim()
    .split(/\s+/),
)

/** Firms, brands and programs. */
export const brands: ReadonlySet<string> = new Set(
  `
1password 1und1 aareal abb abbvie aboutyou accenture accor acer ackermann adac adidas adobe
advoware adyen aeg agfa airbnb airbus airtable aiven akamai alcatel aldi alexa alibaba allianz
allsecur alnatura alpro alte-leipziger alteryx amazon amd amex ancestry android angular ansible
ansible-tower aok apache apobank apple arag aral arcor argocd ariston asana asics asus atlassian
atupri audi audible auth0 avira avis avm aws axa axel-springer azure azure-devops babbel
backblaze backmarket badenova bahlsen bahncard baidu barclays barmenia barmer basf bauhaus bawag
bayer bayernwerk bazel bbc bedrock beko bergfürst bigquery bionorica biontech birkenstock
bitbucket bitdefender bkk blablacar blackberry bloomberg bmw boeing bofrost bolia bolt bonprix
booking bosch budni bugzilla bulthaup bundesbahn burberry burger-king butlers bvg byd c&a
calendly calida cambio camunda canon canva carglass carrefour cassandra celonis cewe chatgpt
check24 chefkoch chicco christie's chrome chubb circleci cisco citibank citrix claude clickhouse
clickup cloudflare cnn coca-cola cockroachdb codecov coinbase comarch comdirect commerzbank
confluence confluent congstar consorsbank continentale coolify coop correos cosmosdirekt costco
couchbase creditplus creditreform crowdstrike cyberport daimler dak danone databricks datadog
datagrip datev dazn dbeaver dbt debeka debian decathlon deepl deichmann deliveroo dell deloitte
denns deno denon deurag deutsche-bahn deutschlandfunk devk dhl dior discord disney django dkb
dkv dm docker docmorris doctolib docusign dokuwiki domino's dpd drewag dropbox drupal duckdb
duolingo dvag dynamodb dyson e.on easyjet ebay ecosia ecovis edeka edenred edge einhell
elasticsearch electrolux elixir elring elster emirates enbw enercity enpal entega eon eprimo
epson ergo ericsson eslint esprit essent etcd etsy euronics eurostar eurowings evernote evonik
evri excel exxon facebook fastapi fastly faz fedex fedora feedly ffmpeg fiat fielmann figma
firebase firefox fitbit fiverr flaschenpost flink flixbus flixtrain flyway ford freenet
freshdesk fressnapf fritzbox froneri fujitsu galaxus galeria gardena garmin gartner gatsby
gazprom generali gillette giropay gitea github gitlab gitpod globetrotter globus-baumarkt glovo
gmail gmx godaddy google gopro gorillas gothaer gradle grafana graphite grohe groupon gucci
görtz hagebau hallmark hansemerkur hansgrohe haproxy haribo haspa hdi heise hellweg helvetia
henkel hermes heroku hertz hetzner hewlett-packard hibernate hilti hipp homeassistant honda
hornbach hsbc huawei hubspot hugendubel huk huk-coburg humana hvv hypovereinsbank hyundai
höffner ibis icloud idealo ihk ikea ikk ilo immonet immoscout immowelt infineon influxdb
ing-diba innogy instacart instagram intel intellij intersport ionos ios ipad iphone ista itunes
jabra java javascript jbl jenkins jetbrains jfrog jira jupyterlab just-eat jysk jägermeister
kafka kaggle karcher karstadt kaufland keepass kellogg's keycloak kfw kia kibana kingfisher
klarmobil klarna kleinanzeigen knappschaft knauf kneipp knorr kodak kohl's komoot kotlin kpmg
kravag kubernetes kuka kununu kustomize kvb kärcher laravel lego leica leifheit lekker lenovo
levi's lexoffice lexware libreoffice lichtblick lidl liebherr lieferando lieferheld lindt
linkedin linode linux liqui liquibase lloyd's lloyds logitech logstash loreal lovoo lowe's
lufthansa lvm lyft macos macy's maersk mailchimp mailgun mainova makita malwarebytes manomano
manpower mapbox mariadb markdown marktkauf mastercard mastodon matlab mattermost maybelline
mazda mcafee mcdonald's mcdonalds mckinsey mecklenburgische mediamarkt medion memcached mercedes
messenger meta metabase michelin microsoft microsoft-teams midjourney miele milka minio miro
mister-spex mitsubishi mobil-oil mobilcom mondi mongodb montblanc moodle moody's morrisons
mosquitto motel-one motorola mozilla mulesoft mvg mysql mytaxi mömax müsing n26 nanu-nana nasa
naspa nats naturstrom neo4j nestjs nestle nestlé netapp netcup netdata netflix netlify netto
nextbike nextcloud nginx nike nikon nintendo nissan nivea nobilia node node-red nokia norisbank
notebooksbilliger notion novartis novotel npm ns nubank numpy nuxt nvidia nürnberger o2 obi odoo
okta onedrive onenote opel openai opensearch opentelemetry openvpn oracle osram otto outlook ovh
oxfam packlink pagerduty pampers panasonic pandas parship payback paydirekt paypal peloton penny
pepsi personio peugeot pfizer philadelphia philips phpmyadmin pinterest pipedrive playmobil
playstation plesk pnpm poco polarstern polestar porsche portainer postbank postfinance postgres
postnl powerpoint powershell prezi primark prometheus prosieben provinzial proxmox pulumi puppet
pycharm pytest python pytorch qnap qonto qualcomm r+v rabbitmq raiffeisen raiffeisenbank rancher
raspberry react reddit redis redshift remington renault reuters revolut rewe rheinenergie ricoh
ricola rimowa rmv roche rocket-chat roland rolex rollbar rollei roomba rossmann royal-mail
rubocop ruby-on-rails runtastic rust rwe ryanair saab safari sainsbury's salesforce samsonite
samsung sandisk sanofi santander sap saturn sbb sberbank scala schiesser schneider-electric
schufa schwab seagate selenium sendgrid sennheiser sentry servicenow sharenow sharepoint shein
shop-apotheke shopify sidekiq siemens signal signal-iduna sixt skoda skype skyscanner slack
smartsheet smava snapchat sncf snowflake snyk sodastream solarwinds solr sonarqube sonos sony
sotheby's soundcloud spacex sparda sparkasse spinnaker splunk sportscheck spotify spring-boot
sqlite squarespace stackoverflow stadtmobil starbucks statista stiebel storytel strava stripe
stromnetz subaru subway sumup supabase superset surfshark suse suzuki svelte swarovski swb
swisscard swisscom swissquote symfony synology systemd süddeutsche tableau tagesschau tailwind
targobank taz tchibo teams teamviewer techem tedi tefal tegut telegram telekom tensorflow
terraform tesco tesla tetra tgv thalia thalys thermomix thomann thunderbird tibber tiktok
timescale tinder tkk todoist tomcat tomtom tottenham toyota trade-republic traefik transferwise
trello tripadvisor trivago trustpilot tui tumblr tunein tupperware turnitin twilio twint twitter
typeform typeorm typescript tüv uber ubisoft ubs ubuntu udemy unicef unicredit unifi uniqlo
unitymedia ups vagrant vaillant valeo varnish vattenfall veganz vercel verdi verivox verizon vhv
viactiv victoriametrics viessmann vimeo vinted visa visma vitest vmware vodafone volksbank
volkswagen volkswohl volta volvo vonovia vorwerk vrr vscode vue wacom walmart warby weaviate
webex webpack wechat weebly weltbild wendy's westnetz wetransfer whatsapp whirlpool wikipedia
wilo windows windstream winora wireguard wireshark wise wix wmf wolt word wordpress workday wwk
wüstenrot xbox xcode xerox xiaomi xing xxxlutz yahoo yamaha yarn yello yelp youtube zabbix
zalando zapier zara zdf zeiss zendesk zenjob zigbee zimbra zipcar zkb zoho zookeeper zoom
zooplus zscaler öbb
`
    .trim()
    .split(/\s+/),
)

/** Programs that are written in lower case and are no words. */
export const tools: ReadonlySet<string> = new Set(
  `
ansible autossh certbot clickhouse cpython curl docker eslint etcd fail2ban ffmpeg gcc github gitlab
grafana haproxy htop imagemagick jq kafka kubectl libreoffice llvm logrotate mariadb memcached
mongodb mongosh mypy mysql mysqldump nextjs nginx npm numpy nvm openssl pandoc pgbouncer pip pnpm
postgres postgresql psql pytest rabbitmq rclone redis rsync samba scipy sqlite sqlalchemy systemd
terraform tmux tsc ubuntu valgrind vite webpack wget wireguard zsh
`
    .trim()
    .split(/\s+/),
)
