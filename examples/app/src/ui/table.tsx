type Props = { head: string[]; rows: string[][] }

/** A table whose first column names the rows; the other columns of figures are aligned at the right. */
export function Table({ head, rows }: Props) {
  return (
    <table>
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
