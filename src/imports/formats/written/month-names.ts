/** The names of the months, in full and short, as banks write them in eleven languages, without accents. */
const months: string[] = [
  'january januar janvier janv enero ene janeiro gennaio gen januari styczen stycznia sty jan ianuarie ian janner jaenner',
  'february februar fevrier fevr febrero fevereiro fev febbraio februari luty lutego lut feb februarie',
  'march marz maerz mrz mars marzo marco maart mrt marzec marca mar martie marts',
  'april avril avr abril abr aprile kwiecien kwietnia kwi apr aprilie',
  'may mai mayo maio maggio mag mei maj maja',
  'june juni juin junio junho giugno giu czerwiec czerwca cze jun iunie iun',
  'july juli juillet juil julio julho luglio lug lipiec lipca lip jul iulie iul',
  'august aout agosto ago augustus sierpien sierpnia sie aug augusti',
  'september septembre septiembre setembro settembre set wrzesien wrzesnia wrz sep sept septembrie',
  'october oktober octobre octubre outubro out ottobre ott pazdziernik pazdziernika paz oct okt octombrie',
  'november novembre noviembre novembro listopad listopada lis nov noiembrie',
  'december dezember decembre diciembre dic dezembro dicembre grudzien grudnia gru dec dez des decembrie',
]

const numbers = new Map(months.flatMap((names, i) => names.split(' ').map((name) => [name, i + 1] as const)))

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
  const folded = name
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase()
    .replace('ł', 'l')
  return numbers.get(folded) ?? null
}
