/** The first cell of a row names it, and may link to what it is made of. */
export type Row = { href?: string; cells: string[] }
/** `isFigures`: the columns after the first are figures. */
type Props = { head: string[]; rows: (string[] | Row)[]; total?: string[] | undefined; isFigures?: boolean }

/** A table whose first column names the rows. */
export function Table({ head, rows, total, isFigures }: Props) {
  return (
    <table class={isFigures ? 'figures' : ''}>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col" children={name} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Cells key={index} {...('cells' in row ? row : { cells: row })} />
        ))}
      </tbody>
      {total && <tfoot children={<Cells cells={total} />} />}
    </table>
  )
}

function Cells({ href, cells: [name, ...cells] }: Row) {
  return (
    <tr>
      <th scope="row">
        <bdi>{href ? <a href={href}>{name}</a> : name}</bdi>
      </th>
      {cells.map((cell, column) => (
        <td key={column} children={<bdi>{cell}</bdi>} />
      ))}
    </tr>
  )
}
