/** The names of the months, in full and short, as banks write them in twenty languages, without accents. */
const months: string[] = [
  'january januar janvier janv enero ene janeiro gennaio gen januari styczen stycznia sty jan ianuarie ian janner jaenner ledna leden januara tammikuuta tammikuu января январь янв січня ocak sausio',
  'february februar fevrier fevr febrero fevereiro fev febbraio februari luty lutego lut feb februarie unora unor februara helmikuuta февраля февраль фев лютого subat vasario',
  'march marz maerz mrz mars marzo marco maart mrt marzec marca mar martie marts brezna brezen maaliskuuta marcius марта март мар березня mart kovo',
  'april avril avr abril abr aprile kwiecien kwietnia kwi apr aprilie dubna duben aprila huhtikuuta aprilis апреля апрель апр квітня nisan balandzio',
  'may mai mayo maio maggio mag mei maj maja kvetna kveten toukokuuta majus мая май травня mayis geguzes',
  'june juni juin junio junho giugno giu czerwiec czerwca cze jun iunie iun cervna cerven kesakuuta junius июня июнь июн червня haziran birzelio',
  'july juli juillet juil julio julho luglio lug lipiec lipca lip jul iulie iul cervence cervenec heinakuuta julius июля июль июл липня temmuz liepos',
  'august aout agosto ago augustus sierpien sierpnia sie aug augusti srpna srpen augusta elokuuta августа август авг серпня agustos rugpjucio',
  'september septembre septiembre setembro settembre set wrzesien wrzesnia wrz sep sept septembrie zari syyskuuta szeptember сентября сентябрь сен вересня eylul rugsejo',
  'october oktober octobre octubre outubro out ottobre ott pazdziernik pazdziernika paz oct okt octombrie rijna rijen oktobra lokakuuta октября октябрь окт жовтня ekim spalio',
  'november novembre noviembre novembro listopad listopada lis nov noiembrie listopadu novembra marraskuuta ноября ноябрь ноя листопада kasim lapkricio',
  'december dezember decembre diciembre dic dezembro dicembre grudzien grudnia gru dec dez des decembrie prosince prosinec decembra joulukuuta декабря декабрь дек грудня aralik gruodzio',
]

const numbers = new Map(
  months.flatMap((names, i) => names.split(' ').map((name) => [fold(name), i + 1] as const)),
)

/** The names of the months in Thai, in full and short, and their English abbreviations. */
export const thaiMonths = new Map(
  `มกราคม ม.ค. jan กุมภาพันธ์ ก.พ. feb มีนาคม มี.ค. mar เมษายน เม.ย. apr พฤษภาคม พ.ค. may มิถุนายน มิ.ย. jun
  กรกฎาคม ก.ค. jul สิงหาคม ส.ค. aug กันยายน ก.ย. sep ตุลาคม ต.ค. oct พฤศจิกายน พ.ย. nov ธันวาคม ธ.ค. dec`
    .match(/\S+ \S+ [a-z]{3}/g)
    ?.flatMap((names) => {
      const [full = '', short = '', english = ''] = names.split(' ')
      return [full, short].map((name) => [name, english] as const)
    }),
)
export const thaiMonth = new RegExp(
  [...thaiMonths.keys()].map((name) => name.replaceAll('.', '\\.')).join('|'),
)

/** The number of the month with this name in any of the languages, or null. */
export function monthNumber(name: string): number | null {
  return numbers.get(fold(name)) ?? null
}

function fold(name: string): string {
  const text = name.normalize('NFD').replace(/[\p{M}.]/gu, '')
  return text.toLowerCase().replace('ł', 'l').replace('ı', 'i')
}
