"""Names of countries, states and provinces as they stand after a comma: "Paris, France", "Portland, ME".

Which zones a country has comes from tzdata's own tables; here stands what these do not say. Names are written as "name|name".
"""

from __future__ import annotations

COUNTRY_NAMES = {
    "AE": "uae|emirates", "AG": "antigua|barbuda", "AS": "american samoa", "BA": "bosnia", "BQ": "bonaire", "CC": "cocos islands",
    "CD": "dr congo|drc|democratic republic of congo|democratic republic of the congo|congo|congo kinshasa",
    "CF": "central african republic", "CG": "republic of the congo|republic of congo|congo brazzaville", "CI": "ivory coast",
    "CN": "prc|mainland china|people's republic of china", "CV": "cabo verde", "CZ": "czechia", "FK": "falklands",
    "GB": "uk|britain|great britain|united kingdom|england|scotland|wales|northern ireland",
    "GE": "country of georgia|republic of georgia", "HK": "hk|hong kong sar", "IE": "republic of ireland", "KN": "st kitts",
    "KP": "north korea", "KR": "south korea|korea|republic of korea", "LA": "lao pdr", "MF": "st martin", "MK": "macedonia",
    "MM": "myanmar|burma", "MO": "macao", "NL": "holland", "RU": "russian federation", "SJ": "svalbard", "SX": "st maarten",
    "SZ": "eswatini|swaziland", "TC": "turks and caicos", "TL": "timor-leste", "TR": "turkiye", "TT": "trinidad|tobago",
    "TW": "republic of china|roc", "US": "usa|us|u.s.|u.s.a.|united states of america|america", "VA": "vatican",
    "VC": "st vincent and the grenadines", "VG": "british virgin islands", "VI": "us virgin islands", "WS": "samoa",
}
"""By ISO 3166 code, beside the name that tzdata's iso3166.tab has."""

DEPENDENT = {
    "AU": "CC CX NF", "CN": "HK MO", "DK": "FO GL", "FI": "AX", "FR": "BL GF GP MF MQ NC PF PM RE WF YT",
    "GB": "AI BM FK GG GI IM JE KY MS SH TC VG", "NL": "AW BQ CW SX", "NO": "SJ", "NZ": "CK NU TK", "US": "AS GU MP PR UM VI",
}
"""Countries and what belongs to them under an ISO code of its own: "San Juan, Puerto Rico" lies in the USA too."""

STATE_CODES = {
    "al": "alabama", "ak": "alaska", "az": "arizona", "ar": "arkansas", "ca": "california", "co": "colorado",
    "ct": "connecticut", "dc": "district of columbia", "d c": "district of columbia", "de": "delaware", "fl": "florida",
    "ga": "georgia", "hi": "hawaii", "id": "idaho", "il": "illinois", "in": "indiana", "ia": "iowa", "ks": "kansas",
    "ky": "kentucky", "la": "louisiana", "me": "maine", "md": "maryland", "ma": "massachusetts", "mi": "michigan",
    "mn": "minnesota", "ms": "mississippi", "mo": "missouri", "mt": "montana", "ne": "nebraska", "nv": "nevada",
    "nh": "new hampshire", "nj": "new jersey", "nm": "new mexico", "ny": "new york", "nc": "north carolina",
    "nd": "north dakota", "oh": "ohio", "ok": "oklahoma", "or": "oregon", "pa": "pennsylvania", "ri": "rhode island",
    "sc": "south carolina", "sd": "south dakota", "tn": "tennessee", "tx": "texas", "ut": "utah", "vt": "vermont",
    "va": "virginia", "wa": "washington", "wv": "west virginia", "wi": "wisconsin", "wy": "wyoming",
}
"""The postal codes of the USA. Of all that a code may mean they come first: "CA" after a town is California."""

PROVINCE_CODES = {
    "ab": "alberta", "bc": "british columbia", "b c": "british columbia", "mb": "manitoba", "nb": "new brunswick",
    "nl": "newfoundland and labrador", "ns": "nova scotia", "nt": "northwest territories|northern territory", "nu": "nunavut",
    "on": "ontario", "pe": "prince edward island", "pei": "prince edward island", "qc": "quebec", "sk": "saskatchewan",
    "yt": "yukon", "act": "australian capital territory", "nsw": "new south wales", "qld": "queensland",
    "sa": "south australia", "tas": "tasmania", "vic": "victoria", "wa": "western australia",
}
"""Those of Canada and Australia."""

CONTINENTS = {
    "africa": ("Africa/", "Atlantic/", "Indian/"),
    "america": ("America/",), "americas": ("America/",), "south america": ("America/",), "latin america": ("America/",),
    "north america": ("America/", "Pacific/Honolulu"), "central america": ("America/",), "caribbean": ("America/",),
    "asia": ("Asia/", "Europe/Istanbul", "Indian/"), "middle east": ("Asia/", "Africa/Cairo", "Europe/Istanbul"),
    "europe": ("Europe/", "Atlantic/", "Asia/Nicosia", "Asia/Tbilisi", "Asia/Yerevan", "Asia/Baku", "Arctic/"),
    "oceania": ("Australia/", "Pacific/"),
}
"""By how the names of their zones begin."""

QUALIFIED = {
    "America/Adak": "adak alaska",
    "America/Atikokan": "atikokan ontario",
    "America/Blanc-Sablon": "blanc-sablon quebec",
    "America/Chicago": "pensacola florida|panama city florida|panama city beach florida|destin florida|gary indiana"
                       "|hammond indiana|evansville indiana|bowling green kentucky|paducah kentucky|owensboro kentucky"
                       "|iron mountain michigan|ironwood michigan",
    "America/Creston": "creston british columbia",
    "America/Dawson_Creek": "dawson creek british columbia",
    "America/Denver": "el paso texas|rapid city south dakota|dickinson north dakota|scottsbluff nebraska|goodland kansas"
                      "|ontario oregon",
    "America/Fort_Nelson": "fort nelson british columbia",
    "America/Goose_Bay": "goose bay newfoundland and labrador|happy valley-goose bay newfoundland and labrador",
    "America/Los_Angeles": "coeur d'alene idaho|lewiston idaho|moscow idaho|hollywood la|pasadena la|long beach la",
    "America/Menominee": "menominee michigan",
    "America/New_York": "knoxville tennessee|chattanooga tennessee|johnson city tennessee|kingsport tennessee"
                        "|bristol tennessee",
    "America/Rankin_Inlet": "rankin inlet nunavut",
    "America/Cambridge_Bay": "cambridge bay nunavut",
    "America/Resolute": "resolute nunavut",
    "America/Toronto": "london canada|london ca|hamilton canada|windsor canada|kingston canada",
    "America/Vancouver": "victoria canada|richmond canada",
    "America/Winnipeg": "kenora ontario",
    "Asia/Karachi": "lahore punjab|rawalpindi punjab|faisalabad punjab|multan punjab|gujranwala punjab|sialkot punjab",
    "Australia/Broken_Hill": "broken hill new south wales",
    "Australia/Eucla": "eucla western australia",
}
"""Towns whose clock is not the one of the larger place of that name, nor that of most of their state."""
