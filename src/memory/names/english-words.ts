// English words that start sentences, where a capital letter means nothing. An unlisted word there
// counts as a name only if the next word says so.

/** In lower case; most endings are removed before a word is looked up. */
export const englishWords: ReadonlySet<string> = new Set(
  `
a about above absence absent accept accepted access accidentally according account accountant
accounts accurate achievement acquisition across act action activity actual actually adapter add
addendum additional address adjust admin administration adoption adult advance advertisement
advice after afternoon afterwards again against age agency agenda aggregate agreed agreement air
aircraft airline airport alarm album alert all allergic allergies allergy allow almost along
already also alternative although aluminium always am ambulance amendment amharic amount an
anaesthetic analysis and animal ankle annex anniversary announcement annual another answer
antibiotic antibiotics antivirus anxiety any anybody anyone anything anyway apart apartment api
apologies apparently appeal appendix appetite appliance apply appointment approval approve
approved april apron aquarium architecture archive are area argued argues around arrange
arranged arrive art arthritis article as ashes ask asked assembly assessment assign assignment
assistant asthma at ate atmosphere attach attachment attempt attend attendance attended
attendees attic attorney audience audio audit aunt authentication author automatic automation
autopsy availability average aviation avoid award away awkward baby babysitter back background
backlog backpack backup bacteria bad badge bag baggage bake baked bakery balance balcony ballet
ballot band bandage bandwidth bank bankruptcy banner bar barbecue barber barrel based baseline
basement basically basket bath bathroom battery be beach beans beard beat beautiful because bed
bedroom been beer bees before began begin beginner behalf behaviour behind being bell below belt
bench benchmark benefits bent best better between beverage bicycle bid big bike bill bin binary
biopsy birds birth birthday biscuit bite bitter blanket bleach blender blew blind block blocker
blood blossom blue bluetooth board boat body boiler boiling bolts bone bonus book booked
bookkeeper bookshelf booster boots border borrow borrowed boss bot both bottle bottom bought
bound bowl box boy boyfriend brain brake branch brand brass breach bread break breakfast breast
breathing breeze brick bride bridge brief bright bring bringing broadband brochure broke broken
broker brother brought bruise brunch brush bubble bucket budget buffer bug build builder
building built bulk bullet bullying bump bundle burglar burn bus bushes business but button buy
by bytes cabin cabinet cable cache cake calendar call called calls came camera camp campaign
camping campus can cancel cancelled candidate candidates candle candy cannot canvas captain car
caravan carbon card care careful caregiver carpenter carpet carrier carrots cart cartoon carving
cash cashier cast casual cat catalogue catch catering cats caught cause caution cavity ceiling
cello census central ceo ceramic cereal ceremony certain certificate certification cfo chain
chair chalk challenge chamber champagne change changed chapter character charge charger charity
chart chat chatted cheap check checked checklist checkout cheese chef chemical chemistry chest
chicken child children chimney chin chips chiropractor chocolate choir cholesterol choose chores
chose chosen christening christmas chronic church cider cinema circle circuit circumstances
citizenship city civil claim clarinet class classes clause clay clean cleaned cleaner cleaners
cleaning clear clerk client clients cliff climate climbing clinic clinical clip clock close
closed closet closing closure clothes clothing cloud club cluster clutch coach coast coat
coatings cocoa code coffee coil coin cold colleague colleagues collect collected college colour
column combination combine come comes comfort command comment commission commit committee common
communication community commute compact company compare comparison compatibility compensation
competition competitor compiler complaint complete complex compliance component compose compost
compound compression compromise computer concern concert conclusion concrete condition conductor
conference confidential config configuration confirm confirmed conflict confusion
congratulations connection connector consent conservatory consider console constant constraint
construction consultant consultation consumer consumption contact container content contest
context continue contract contraction contractor contracts contribution control controller
convention conversation conversion convert conveyancing cook cooked cooking cooler cooling
copies copper copy corner corporate correction corridor corrosion cost costs cottage cough could
council counselling counsellor counter country couple coupon courier course court courtesy
cousin coverage crane crash cream create created creation creative creature credit crew crib
cricket crime criteria critical criticism crops cross crowd crown cruise crutches cupboard curb
cure currency current curriculum curry curtain cushion custody custom customer customer's
customers customs cut cyber cycle cyclist cylinder dad daily dairy damage damp dance danger dark
darkness dashboard data database datacenter date daughter day daycare days dead deadline deaf
deal dealt dear debate debit debt debug debugged debugging decided decimal decision deck decline
declined decorator deductible deer default defect defence defendant degree delay delays delegate
delegation delete delicious deliver delivered delivery demo denial dental dentist department
dependencies dependency deploy deployed deployment deposit depot depression depth deputy
descaling design desk desktop despite dessert destination detail details detective detergent
deterministic developer development device diabetes diagnosis diagram dialogue diameter diaper
diary dice dictionary did diesel diet diff different difficult digestion digital dinner dip
diploma diplomatic direct director directory dirt disability disagreement disaster discharge
discount discovered discovery discussed discussion disease dish dishwasher disk dispatch display
dispute dissertation distance distribution district disturbance diversity dividend diving
divorce do doc doctor document documentation does dog dogs doing dolphins donation done donor
door doorbell dosage double doubt doubtful down download downstairs downtime downturn dozen
draft drain drainage drama drank drawer drawing dreadful dreaming dress drill drink drip drive
driven driver driving drone drop dropped drought drove drum drunk dryer duck due dug duplicate
durability during dust duties duty dye each eagle ear earlier early earn earring earthquake
easement easter easy eat eclipse economy eczema edit edition editor education educational effect
effort egg eggs either elbow elder elderly election electrical electrician electricians
electricity electronics elements elephant elevator eligibility else email emailed emails embassy
embroidery emergency emissions employee employees empty enable encounter encouragement
encryption end ended endpoint enemy energy enforcement engagement engine engineer engineering
engineers enough enquiry enrolment ensure entertainment entire entrance entry envelope
environment episode equipment era eraser erosion errand error errors escalate escape escrow
especially essay essential estate estimate estimated ethics eulogy evacuation evaluate even
evening event eventually ever every everybody everyday everyone everything evidence evolution ex
exact exactly exam examination example excavation excellent except exception excess exchange
excitement executive executor exemption exercise exhaust exhibition existing exit expansion
expect expected expenditure expense expenses experience experiment expert expertise expired
expires expiry explanation explosion export exposure extension external extinction extra extract
eye fabric facade face facilities facility fact factory faculty fail failed failover failure
fair fall false fame families family fans far fare farewell farm fashion fast fat father fatigue
faucet fault favorite favourite fax feast feature fed fee feedback feel fees felt fence ferry
fertiliser fertility festival fever few fiancé fiancée fibre fiction field fight figure file
files fill film filter final finally finance financial find fine fingers finish finished fire
fireplace firewall fireworks firmware first fish fitness fitting fix fixed flag flagged flame
flash flat flavour flea fleet flew flexible flight flood floor flour flow flowers flu fluid
flute flyer foam focus fog fold folder follow follow-up following food foot footage football for
forecast forehead forest forestry forge forget forgot fork form formal format formatting former
formula fortnight fortunately forum forward fought found foundation fountain four fox fraction
fracture fragile frame framework fraud free freelance freezer freezing freight frequency
frequent fresh friction friday fridge fried friend friends friendship frog from front frontend
frost froze frozen fruit fuel full fully fun function fund funeral fungus funnel funny fur
furnace furniture further fuse future gallery game games gap garage garbage garden gardener
garlic garments gas gate gauge gave gear gearbox gender general generally generator genetics
genre gentle geography geology germ gesture get ghost giant gift ginger girl girlfriend give
given glad glance glass glasses glue gluten go goal goals goat godfather godmother going gold
golden golf good goodbye gossip got governance government gp grade graduation grain grammar
grandchildren granddaughter grandfather grandkids grandma grandmother grandpa grandparents
grandson granny grant grape graph graphic grass grateful gravel gravity graze grease great green
grew grey grief grill grip groceries grocery groom ground group groups grout growing growth
guarantee guarantor guess guest guests guidance guide guidelines guilt guitar gum gun gutter gym
gymnastics habit had hair haircut half hall hammer hamster hand handbag handbook handle
handlebar handmade handover handsome handwriting happy harbour hard hardware harvest has hash
hat hatch hate have having hay hazard he head headache headlights headline headphones heads-up
health healthy heap hear heard heart heat heater heating heatwave heavily heavy hedge heel
height heir held hello helmet help hen her herb here hernia hers hiccup hid high highlights
highway hike hiking hill him himself hint hip hire hiring his history hit hoarding hobby hockey
hold holding hole holiday holidays home homework honest honestly honey hood hook hope hormone
horse hose hospice hospital host hostel hot hotel hotels hotfix hotfixes hotline hour hours
house household housekeeper how however hr huge human humidity humour hundred hung hunter
hunting hurricane hurt husband hydraulic hygiene i ice icing icon idea ideas identical
identification identity if illness image immediately immigration immunity impact implement
implementation import important impression improve improvement in in-laws inbox incident include
including income incomplete incorrect increase indeed indemnity index indicator individual
industrial industry infant infection inflation influence informal information infrastructure
ingredients inhaler inheritance initial injection injury ink inner innovation input insect
inside insight inspection inspector install installation instance instead institution
instructions instructor instrument insulation insulin insurance insurer intake integration
intelligence intent interest interface interim interior intermittent intern internal internet
internship interruption interval interview into intolerance introduction invasion inventor
inventory investigated investigation investment investors invitation invite invited invoice
invoices involvement inward iron irrigation is isolation issue it item its itself jacket jail
jam jar jaw jeans jet jewellery job jogging join joined joiner joint joke journal journalist
journey judge juice jump jungle junior jury just justice keep kept kettle key keyboard keys kid
kidney kids killer kilometre kind kindergarten king kiss kit kitchen kite kitten knee knew knife
knitting knob know knowledge lab label laboratory labour lace ladder laid lake lamb lamp
landlady landlord landscape lane language laptop large last latch late latency later latest
laughing launch laundry lava law lawn lawsuit lawyer lay layout lead leader leaf leaflet leak
learn learned learnt lease least leather leave lecture led left leftover legacy legal legs
leisure lemon lender lending length lens lent lesson lessons let letter letting level lever
liability libraries library licence license lid life lifeguard lifestyle lift light lighting
lightning like likes limit limitation line linen link linter lions lip liquid liquor list listen
lit literature litre litter little live livestock living lizard load loading loan lobby local
location lock locker locksmith lodge log logging logistics logo logs loneliness long look looked
looking looks loop loose lorry loss lost lot lottery loud lounge love lovely low loyalty luck
luckily luggage lumber lunch lung luxury lyrics machine machinery made magazine magic magnet
maid mail mailbox main maintenance majority make makes making malaria male malware mammogram man
management manager managers manners manual manufacturer many map marathon margin marine mark
market marketing marriage mask masonry mass massage master mat match mate material math matter
mattress maximum may maybe mayor me meal mean means measles measure measurement meat mechanic
medal media mediation mediator medical medication medicine meditation medium meet meeting
meetings member members membership membrane memoir memorial memory men menopause mental mention
mentioned mentor menu merchandise mercury merge merged mess message met metal meteor meter
method metrics mice microphone microwave midday middle midnight midterm midwife might migraine
migration milestone military milk mill millions mind mine mineral minimum minister minor
minority mint minute minutes miracle mirror miss missing mistake misunderstanding mixed mixer
mixing mixture mobile mobility mock mode model moderate modern modest module moisture mold mom
moment money monitor monitoring monkey monster month monthly months monument moon mop moral more
moreover morning mortgage mosquito most motel moth mother motion motivation motor motorbike
motorcycle mould mountain mouse mouth move moved movement movers movie moving much muffins mug
multiple mum murder muscle museum mushroom music musical musician must mustard mutual my mystery
nail name nanny nap napkin narrow nation national natural nature nausea naval navigation navy
near nearly neat neck necklace need needed needle needs negative neglect negotiation neighbor
neighbors neighbour neighbours neither nephew nerve nest net network never new news newsletter
next nice niece night nightmare no nobody noise noisy none noodles nor normal normally nose not
notaries notary note notebook notes nothing notice noticed notification now number nurse nursery
nursing nut nutrition nuts oak oath obesity object objection objective obligation observation
observer obstacle obviously occasion occasionally occupation ocean octopus odd odour of off
offence offer office officer officially offline offsite often oh oil oily ointment ok okay old
omelette on onboarding once one ongoing onion online only open opened opening opera operating
operation operations operator opinion opponent opportunity opposite optical optician
optimisation option options or orange orchard orchestra order ordered orders ordinary organ
organic organisation organised organization organized orientation origin original orthodontist
osteopath other others otherwise our ours out outage outcome outdoor outfit outline output
outside outstanding oven over overall overdraft overdue overhead overnight overtime overview
owing own owner owners oxygen oyster pace pacemaker package packed packet pads paediatrician
page paid pain painkiller painkillers paint painted pair palace pale palm pan pancakes pandemic
panel panic pants paper parade paragraph parallel parameter parcel parent parents park parking
parliament part partial participants participation particle parties partner partnership party
pass passages passenger passengers passive passport password past pasta paste pastry patch path
patient pattern pause paving pay payment payments payroll peace peach peak peanut peanuts pear
pedestrian pediatrician penalty pencil pension people pepper per percentage perception
percussion perfect performance perfume perhaps period permanent permission permit persistence
person personal pest pet petition petrol pharmacist pharmacy phase phone phoned photo photograph
photography photos phrase physical physician physics physio physiotherapist piano pick picked
picnic picture pie pig pigeon pill pillow pills pilot pin pine pipe pipeline pitch pixel pizza
place places plaintiff plan plane planet planned planner planning plans plant planted plaque
plaster plasterer plastic plate platform play players playground pleasant please pleasure plenty
plot plug plugin plumber plumbing plus pm pneumonia pocket podcast poem poetry point poison
poles police policy policyholder political politician politics poll pollen pollution pond pool
poor pop population porch pork port portable portfolio portion portrait position positive
possession possible possibly post postage postcard postman postponed postponing pot potato
potatoes potential pottery poultry pound poverty powder power powerful practice prayer precision
prediction prefer preference preferred pregnancy preliminary premises premium preparation
prepare prepared prescription presence present presentation preserve president press pressure
prevention previous previously price prices pricing priest primary prime primitive prince
principal principle print printer prior priority prison privacy private privilege prize
probability probably probe problem problems procedure proceedings process processor procurement
produce product production profession professional professor profile profit program programme
progress prohibition project projects promise promised promotion prompt proof propaganda
property proportion proposal prospect prosperity protect protection protein protest protocol
prototype proved provide provider provision proximity prune psychiatrist psychologist psychology
pub public publication publicity publisher pudding puddle pull pulley pulse pump pumpkin
punctuation punishment pupils puppy purchase purple purpose purse push put puzzle pyjamas
qualification quality quantity quarry quarter quarterly query question questions queue quick
quickly quiet quilt quite quiz quota quote rabbit race rack radiator radical radio raffle
railing railway rain rainbow raising rally ramp ran random rang range rank ranked rapid rare
rash rate rather ratio rationale raw razor reach reached reaction read readers readiness reading
ready real realised realized really reason reasonable reboot receipt received recent recently
reception receptionist recession recipe recipient recognition recommendation reconstruction
record recovery recruiter recruiting recruitment recycling red reduce redundancy refactor
refactored refactoring referee reference referral reflection refrigerator refugee refund refusal
regarding region regional registration regression regret regular regulation rehearsal
reimbursement rejected relation relationship relative relatives relaxation release relevant
reliability relief religion relocation remainder remark remarkable remedy remember remind
reminder reminders remittance remortgage remote removal remove removed renew renewal renovation
rent rental repair repaired repetition replace replaced replacement replica replication reply
repo report reports repository representative representatives reproduction reputation request
requests require required resale reschedule rescheduled rescue research reservation reserve
reset resident resignation resistance resolution resort resource response responsibility rest
restart restaurant restock restoration restriction result results retail retention retirement
retreat retries retro retrospective retry return returned reunion reusable revenue review
reviewed revision reward rewrite rhythm ribbon ribs rice rider riding rifle right ring ripe
risen risk ritual rival river road roadmap roast robbery robot rock rode role rollback roller
roof rooftop room roommate rooms root rope rose rotate rotation rough round route routine row
royal rubber rubbish rug ruin rule rules rumour run rung runner running rural rush sack sacred
sadly safe safety said sailing sailor salad salaries salary sale sales salmon salon salt same
sample sand sandals sandwich sang satellite satisfaction saturday sauce saucepan sauna sausage
saved savings saw say says scaffold scale scan scandal scanner scar scarce scarf scenario scene
scent schedule scheduled schema scheme scholar scholarship school schools science scissors
scooter scope score screen screenshot screw screwdriver script scrum sculpture sea seafood seal
search season seat seating second secrecy secret secretary section sector securities security
see seems seen segment selection seller semester seminar senate send senior sensitive sensor
sent sentence separate separation sequence series serious servant server servers service serving
session set settings settlement several severe sewage sewing shade shadow shall shallow shame
shampoo shape share shareholder shark sharp she sheep sheet shelf shell shelter shelves shield
shift ship shipment shipped shipping shirt shock shoe shoes shook shop shopping shore short
shots should shovel show showed shower showing shown shrimp shut shutter shuttle siblings sick
sickness side sidewalk siege sign signals signatory signature signed silence silk silly silver
similar simple since single sink siren sister sit site situation six size skating skeleton
sketch skiing skill skin skip skirt skull sky slave sleep sleeve slept slice slid slide slides
slight slippers slope slot slow small smart smell smoke smooth snack snail snake snapshot snow
snowstorm so soap soccer social society sock socks soda sodium sofa soft software soil solar
sold soldier sole solicitor solid solo solution some somebody somehow someone something
sometimes son songs soon sore sorry sort sought soul sound soup source southern souvenir space
spam span spare spark speak speaker special specialist species specification spectacles speech
speed spelling spend spent spice spider spike spill spinach spine spirit spiritual splendid
spoke spoken sponge sponsor spontaneous spoon sport sports spot spotted spray spread spreadsheet
spring sprint squad square squash squirrel stability stable stack stadium staff stage staging
stain stairs stakeholders stamp stand standard standup stapler star start started starting
starts startup state statement static station statistical statistics statue status stay steak
steam steel steep steering stem step stepfather stepmother stepson stereo stew stick sticky
stiff still stitches stock stomach stone stood stool stop stopped storage store stories storm
story stove straight strange strap strategy straw strawberries strawberry stream street strength
stress stretch strict strike string strip stroke stroller strong struck structural structure
struggle stubborn stuck student students studio study stuff stunning style stylish subject
submit subscriber subscription subsequent substance substitute substitution suburb success
successful such suction suddenly sugar sugar-free suggest suggested suggestion suit suitable
suitcase suite summary summer sun sunburn sunflower sunglasses sunlight sunny sunrise sunscreen
sunset superb superior supermarket supervision supervisor supper supplement supplier supply
support suppose supposedly sure surety surface surgeon surgery surgical surplus surprise
surrender surroundings surveillance survey surveyor survival survivor suspect suspicion
sustainability swam sweat sweet swelling swept swift swimmer swimming swing switch swore
syllable syllabus symbol sympathy symptom symptoms syndrome syringe syrup system table
tablecloth tablet tackle tag tail tailor take taken takes taking talent talk talked talks tank
tap tape target tariff task tasks taste tattoo taught tax taxation taxes taxi tea teach teacher
teachers team teams teapot tears technical technician technique technology teddy teenager teeth
telephone telescope television tell temper temperature temple temporarily temporary ten tenancy
tenant tenants tendency tension tent term terminal termination terms terrace territory terror
test tested testimony tests text textbook texted textile texture than thank thanks that the
theatre their them theme then theory therapist therapy there therefore thermometer thermos
thermostat these they thief thin thing things think thinking third thirteen this thorough those
though thought thread threat three threshold threw throat throne throughout throw thrown thumb
thunder thus tick ticket tickets tide tidy tie tiger tight tile till timber time timeline
timeout times timesheet timestamp timezone tin tiny tip tired tires tissue title to toast
tobacco today toddler todo toe together toilet token told tolerance toll tomato tomatoes
tomorrow ton tone tongue tonight too took tool tools tooth top topic topping torch tore tornado
tortoise total touch tough tour tourism tourist tourists tournament tow toward towards towel
town toxic toys trace track tractor trade trademark tradition traditional traffic tragedy trail
trailer train trained trainee trainer training trains trait tram transaction transcript transfer
transformation transit transition translation translator transmission transparency transparent
transport trap trash trauma travel travelled traveller tray treasure treasurer treatment treaty
tree tremendous trend trial triangle tribe tributes trick tried trigger trim trip triple trolley
tropical trouble trousers truck true trunk trust trustee try trying tub tube tuition tumour tune
tunnel turn turned tutor tutorial tweet twice twins two type typical tyres ugly ulcer ultimate
ultimately ultrasound umbrella unable unauthorised uncertain uncertainty uncle unclear under
undergraduate understand underwear uneasy unemployment unexpected unfair unfortunately unhappy
unhealthy uniform union unique unit universal universe university unknown unless unlike
unlimited unlock unnecessary unpacked unpaid unpleasant unstable unsubscribe until unusual up
upcoming update updated upgrade upgraded upload upon upper upright upset upstairs urgent urine
us usage use used useful useless user users uses using usual usually utilities utility vacancy
vacant vacation vaccination vaccine vacuum vague vain valid validation valley valuable value
valve van vapour variable variation varieties variety various vault vegan vegetable vegetables
vegetarian vehicle vein velocity vendor vent ventilation venture venue verdict verification
version vertical very vessel vet vet's veteran veterinary via viable vibration victim victory
video viewer views village vine vinegar vintage vinyl violation violence violin virtual virus
visa visibility visible vision visit visited visiting visitor visitors visits visual vital
vitamin vocabulary vocal voice volcano volleyball voltage volume voluntary volunteer volunteers
vomiting vote voucher vulnerability vulnerable waffles wage waist wait waiting waitlist waitress
walk walkers wall wallet wallpaper walnuts want wanted wants ward wardrobe warehouse warm warmth
warning warranty was wash wasp waste watch watched water waterfall waterproof wave wax way we
weak weakness wealth weapon wear weather webhook webinar website wedding weed week weekday
weekend weekly weeks weight weird welcome welfare well went wept were western wet whale what
whatever wheat wheel wheelchair when whenever where whether which while whisky whistle white
whiteboard who whole wholesale whose why widely widespread widow widower width wife wife's wifi
wild wildlife will window windows wine winner winter wiper wire wireless wisdom wish with within
without witness woke wolf woman women won wonder wooden woods wool word words wore work
workaround worked worker worker's workers workflow working workload workout workplace works
workshop workstation world worldwide worm worried worries worry worse worst worth worthwhile
would wound wrap wrist write writing written wrong wrote x-ray yard year yearly years yeast
yellow yes yesterday yesterday's yet yield yoga yoghurt yogurt you young your yours yourself
youth zebra zero zinc zip zipper zone zoo
`
    .trim()
    .split(/\s+/),
)
