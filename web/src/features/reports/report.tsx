import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { saveCsv } from '../../lib/csv.ts'
import { m } from '../../messages/reports.ts'
import { Button } from '../../ui/button.tsx'
import { TasksBehind, type Within } from './behind.tsx'
import { Plot } from './plot.tsx'
import type { Bar, Behind, Mark, Shown } from './shown.ts'

interface Props {
  shown: Shown
  /** The range, for the name of the file. */
  range: { after: string; before: string }
  /** What else narrows the tasks behind a mark. */
  within: Within
}

/** One report: what was found, and the chart or the table that show it. */
export function Report({ shown, range, within }: Props) {
  const { name, unit, finding, say, notes, plot, bars, columns, rows } = shown
  const [asTable, setAsTable] = useState(false)
  const [at, read] = useState<number>()
  const [behind, setBehind] = useState<Behind>()
  const navigate = useNavigate()
  const open = (mark: Mark) => {
    if (!mark.behind) return
    if (!('short_id' in mark.behind)) return setBehind(mark.behind)
    const task = mark.behind.short_id
    void navigate({ to: '.', search: (now: object) => ({ ...now, task }) })
  }
  const save = () => {
    const file = name.toLowerCase().replaceAll(' ', '-')
    saveCsv(`${file}-${range.after}-${range.before}.csv`, [columns, ...rows])
  }
  const mark = at === undefined ? undefined : plot?.marks[at]
  const isTable = asTable || (!plot && !bars)
  return (
    <section className="report" aria-label={`${name}. ${finding}`}>
      <header>
        <span className="gut">{unit}</span>
        <div>
          <h2>{finding}</h2>
          <p>
            {name}. {say}
          </p>
        </div>
        <div className="acts">
          {(plot || bars) && (
            <Button kind="plain" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
              {m.table}
            </Button>
          )}
          {rows.length > 0 && (
            <Button kind="plain" aria-label={m.csvOf(name)} onClick={save}>
              {m.csv}
            </Button>
          )}
        </div>
      </header>
      {isTable && rows.length > 0 && <Rows shown={shown} />}
      {!isTable && plot && (
        <Plot plot={plot} label={`${name}: ${finding}`} at={at} read={read} open={open} />
      )}
      {!isTable && bars && <Bars bars={bars} />}
      {!isTable && mark?.behind && (
        <p className="line behind">
          <span className="gut" />
          <span>
            <Button kind="plain" onClick={() => open(mark)}>
              {'short_id' in mark.behind ? m.open(mark.behind.short_id) : m.showBehind}
            </Button>
          </span>
        </p>
      )}
      {!isTable && behind && !('short_id' in behind) && (
        <TasksBehind days={behind} within={within} />
      )}
      {notes.map((note) => (
        <p key={note} className="line note">
          <span className="gut" />
          <span>{note}</span>
        </p>
      ))}
    </section>
  )
}

function Bars({ bars }: { bars: readonly Bar[] }) {
  return (
    <ol className="spent">
      {bars.map(({ key, label, told, value, part }) => (
        <li key={key} className="line">
          <span className="gut" />
          <div>
            <span className="clip">{label}</span>
            <span className="beam" aria-hidden="true">
              <i style={{ inlineSize: `${value * 100}%` }} />
              <i className="part" style={{ inlineSize: `${part * 100}%` }} />
            </span>
            <span>{told}</span>
          </div>
        </li>
      ))}
    </ol>
  )
}

/** Wide tables go sideways in their own place, which the keys reach. */
function Rows({ shown }: { shown: Shown }) {
  const { name, columns, plot, bars } = shown
  // Too little for a chart: days on which there was nothing would hide what there is.
  const isFew = !plot && !bars
  const rows = isFew ? shown.rows.filter(([, ...cells]) => cells.some((n) => n !== 0)) : shown.rows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="rows" aria-label={m.tableOf(name)} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have a fixed order
            <tr key={n}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: so have their cells
                <td key={column} className={typeof cell === 'number' ? 'n' : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
