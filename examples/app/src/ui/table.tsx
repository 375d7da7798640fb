/** `isFigures`: the columns after the first are figures. */
type Props = { head: string[]; rows: string[][]; isFigures?: boolean }

/** A table whose first column names the rows. */
export function Table({ head, rows, isFigures }: Props) {
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
        {rows.map(([name, ...cells], index) => (
          <tr key={index}>
            <th scope="row" children={<bdi>{name}</bdi>} />
            {cells.map((cell, column) => (
              <td key={column} children={<bdi>{cell}</bdi>} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
