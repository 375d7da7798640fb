/** The names of the months, in full and short, as banks write them in nine languages, without accents. */
const months: string[] = [
  'january januar janvier janv enero ene janeiro gennaio gen januari styczen stycznia sty jan janner jaenner',
  'february februar fevrier fevr febrero fevereiro fev febbraio februari luty lutego lut feb',
  'march marz maerz mrz mars marzo marco maart mrt marzec marca mar',
  'april avril avr abril abr aprile kwiecien kwietnia kwi apr',
  'may mai mayo maio maggio mag mei maj maja',
  'june juni juin junio junho giugno giu czerwiec czerwca cze jun',
  'july juli juillet juil julio julho luglio lug lipiec lipca lip jul',
  'august aout agosto ago augustus sierpien sierpnia sie aug',
  'september septembre septiembre setembro settembre set wrzesien wrzesnia wrz sep sept',
  'october oktober octobre octubre outubro out ottobre ott pazdziernik pazdziernika paz oct okt',
  'november novembre noviembre novembro listopad listopada lis nov',
  'december dezember decembre diciembre dic dezembro dicembre grudzien grudnia gru dec dez des',
]

const numbers = new Map(months.flatMap((names, i) => names.split(' ').map((name) => [name, i + 1] as const)))

/** The number of the month with this name in any of the languages, or null. */
export function monthNumber(name: string): number | null {
  const folded = name
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase()
    .replace('ł', 'l')
  return numbers.get(folded) ?? null
}
