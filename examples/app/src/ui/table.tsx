type Props = { head: string[]; rows: string[][] }

/** A table whose first column names the rows. */
export function Table({ head, rows }: Props) {
  return (
    <table>
      <tr>
        {head.map((name) => (
          <th key={name} scope="col" children={name} />
        ))}
      </tr>
      {rows.map(([name, ...cells]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {cells.map((cell, index) => (
            <td key={index} children={cell} />
          ))}
        </tr>
      ))}
    </table>
  )
}
