"""Cities and countries by their name in traditional Chinese, with the English name by which the other tables know them.

臺 is read as 台, and 市 or 都 at the end may stand or be left out.
"""

from __future__ import annotations

CHINESE = {
    # Taiwan
    "台北": "taipei", "新北": "new taipei", "桃園": "taoyuan", "新竹": "hsinchu", "台中": "taichung", "台南": "tainan",
    "高雄": "kaohsiung", "基隆": "keelung", "花蓮": "hualien", "台東": "taitung",
    # Asia
    "東京": "tokyo", "大阪": "osaka", "京都": "kyoto", "名古屋": "nagoya",
    "札幌": "sapporo", "福岡": "fukuoka", "沖繩": "okinawa",
    "橫濱": "yokohama", "首爾": "seoul", "釜山": "busan", "北京": "beijing", "上海": "shanghai", "廣州": "guangzhou",
    "深圳": "shenzhen", "成都": "chengdu", "香港": "hong kong", "澳門": "macau", "新加坡": "singapore", "吉隆坡": "kuala lumpur",
    "曼谷": "bangkok", "清邁": "chiang mai", "河內": "hanoi",
    "胡志明": "ho chi minh city", "馬尼拉": "manila", "雅加達": "jakarta",
    "峇里島": "bali", "金邊": "phnom penh", "仰光": "yangon", "德里": "delhi", "新德里": "new delhi", "孟買": "mumbai",
    "加德滿都": "kathmandu", "杜拜": "dubai", "阿布達比": "abu dhabi", "杜哈": "doha", "利雅德": "riyadh", "德黑蘭": "tehran",
    "耶路撒冷": "jerusalem", "特拉維夫": "tel aviv", "伊斯坦堡": "istanbul",
    # Europe
    "倫敦": "london", "愛丁堡": "edinburgh", "曼徹斯特": "manchester", "都柏林": "dublin", "巴黎": "paris", "里昂": "lyon",
    "柏林": "berlin", "慕尼黑": "munich", "法蘭克福": "frankfurt", "漢堡": "hamburg", "阿姆斯特丹": "amsterdam",
    "布魯塞爾": "brussels", "盧森堡": "luxembourg", "蘇黎世": "zurich",
    "日內瓦": "geneva", "維也納": "vienna", "布拉格": "prague",
    "布達佩斯": "budapest", "華沙": "warsaw", "羅馬": "rome", "米蘭": "milan", "威尼斯": "venice", "佛羅倫斯": "florence",
    "馬德里": "madrid", "巴塞隆納": "barcelona", "里斯本": "lisbon", "雅典": "athens", "哥本哈根": "copenhagen",
    "斯德哥爾摩": "stockholm", "奧斯陸": "oslo", "赫爾辛基": "helsinki",
    "雷克雅維克": "reykjavik", "莫斯科": "moscow", "基輔": "kyiv",
    # America
    "紐約": "new york", "華盛頓": "washington", "華盛頓特區": "washington dc", "波士頓": "boston", "費城": "philadelphia",
    "邁阿密": "miami", "亞特蘭大": "atlanta", "芝加哥": "chicago", "休士頓": "houston", "達拉斯": "dallas", "丹佛": "denver",
    "鳳凰城": "phoenix", "洛杉磯": "los angeles", "舊金山": "san francisco", "聖地牙哥": "san diego", "西雅圖": "seattle",
    "拉斯維加斯": "las vegas", "檀香山": "honolulu", "夏威夷": "hawaii", "多倫多": "toronto", "蒙特婁": "montreal",
    "溫哥華": "vancouver", "墨西哥城": "mexico city", "聖保羅": "sao paulo", "里約熱內盧": "rio de janeiro",
    "布宜諾斯艾利斯": "buenos aires", "利馬": "lima", "波哥大": "bogota",
    # Oceania and Africa
    "雪梨": "sydney", "墨爾本": "melbourne", "布里斯本": "brisbane", "伯斯": "perth", "坎培拉": "canberra", "奧克蘭": "auckland",
    "威靈頓": "wellington", "開羅": "cairo", "約翰尼斯堡": "johannesburg", "開普敦": "cape town", "奈洛比": "nairobi",
    # Countries
    "台灣": "taiwan", "日本": "japan", "韓國": "south korea", "南韓": "south korea", "北韓": "north korea", "中國": "china",
    "泰國": "thailand", "越南": "vietnam", "菲律賓": "philippines", "馬來西亞": "malaysia", "印尼": "indonesia", "印度": "india",
    "緬甸": "myanmar", "柬埔寨": "cambodia", "土耳其": "turkey", "以色列": "israel", "英國": "uk", "蘇格蘭": "scotland",
    "愛爾蘭": "ireland", "法國": "france", "德國": "germany", "荷蘭": "netherlands", "比利時": "belgium", "瑞士": "switzerland",
    "奧地利": "austria", "義大利": "italy", "西班牙": "spain", "葡萄牙": "portugal", "希臘": "greece", "丹麥": "denmark",
    "瑞典": "sweden", "挪威": "norway", "芬蘭": "finland", "冰島": "iceland", "波蘭": "poland", "捷克": "czechia",
    "匈牙利": "hungary", "俄羅斯": "russia", "烏克蘭": "ukraine", "美國": "usa", "加拿大": "canada", "墨西哥": "mexico",
    "巴西": "brazil", "阿根廷": "argentina", "智利": "chile", "祕魯": "peru", "秘魯": "peru", "澳洲": "australia",
    "紐西蘭": "new zealand", "埃及": "egypt", "南非": "south africa", "肯亞": "kenya",
    "加州": "california", "德州": "texas",
}
