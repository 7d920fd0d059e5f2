import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { addDaysToDate } from '../../lib/dates/plain-date.ts'
import { downloadCsv } from '../../lib/text/csv.ts'
import { formatNumber } from '../../messages/plural.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { Button } from '../../ui/form/button.tsx'
import { TaskLink } from '../task-detail/index.ts'
import { type DrillDownFilter, DrillDownTasks } from './drill-down-tasks.tsx'
import { ReportChart } from './report-chart.tsx'
import type { ChartPoint, DrillDownTarget, ReportBar, ReportView } from './report-view.ts'

interface ReportProps {
  view: ReportView
  /** The date range, for the file name, which ends with its last day: `before` is the day after it. */
  range: { after: string; before: string }
  /** The other filters, for the tasks behind a point. */
  filter: DrillDownFilter
  /** Further buttons beside that of the CSV file. */
  actions?: ReactNode
}

/** The most rows of a table. The CSV file has all. */
const MAX_TABLE_ROWS = 2_000

/** One report: its finding, and the chart or table that shows it. */
export function Report({ view, range, filter, actions }: ReportProps) {
  const { name, unit, finding, say, notes, chart, bars, columns, rows } = view
  const [asTable, setAsTable] = useState(false)
  const [activeIndex, setActiveIndex] = useState<number>()
  const [openedTarget, setOpenedTarget] = useState<DrillDownTarget>()
  const navigate = useNavigate()
  const openTask = (task: string) =>
    void navigate({ to: '.', search: (current: object) => ({ ...current, task }) })
  const openPoint = (point: ChartPoint) => {
    if (!point.drillDown) return
    if (!('short_id' in point.drillDown)) return setOpenedTarget(point.drillDown)
    openTask(point.drillDown.short_id)
  }
  const downloadTable = () => {
    const file = name.toLowerCase().replaceAll(' ', '-')
    downloadCsv(`${file}-${range.after}-${addDaysToDate(range.before, -1)}.csv`, [columns, ...rows])
  }
  const active = activeIndex === undefined ? undefined : chart?.points[activeIndex]
  const showsTable = asTable || (!chart && !bars)
  const shownRows = showsTable ? MAX_TABLE_ROWS : (bars?.length ?? rows.length)
  const allNotes =
    rows.length > shownRows ? [...notes, reportMessages.moreRows(shownRows, rows.length)] : notes
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
          {(chart || bars) && (
            <Button kind="plain" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
              {reportMessages.table}
            </Button>
          )}
          {rows.length > 0 && (
            <Button kind="plain" aria-label={reportMessages.csvOf(name)} onClick={downloadTable}>
              {reportMessages.csv}
            </Button>
          )}
          {actions}
        </div>
      </header>
      {showsTable && rows.length > 0 && <ReportTable view={view} />}
      {!showsTable && chart && (
        <ReportChart
          data={chart}
          label={`${name}: ${finding}`}
          activeIndex={activeIndex}
          onActivate={setActiveIndex}
          onOpen={openPoint}
        />
      )}
      {!showsTable && bars && <ReportBars bars={bars} onOpen={openTask} />}
      {!showsTable && active?.drillDown && (
        <p className="line behind">
          <span className="gut" />
          <span>
            <Button kind="plain" onClick={() => openPoint(active)}>
              {'short_id' in active.drillDown
                ? reportMessages.open(active.drillDown.short_id)
                : reportMessages.showBehind}
            </Button>
          </span>
        </p>
      )}
      {!showsTable && openedTarget && !('short_id' in openedTarget) && (
        <DrillDownTasks days={openedTarget} filter={filter} />
      )}
      {allNotes.map((note) => (
        <p key={note} className="line note">
          <span className="gut" />
          <span>{note}</span>
        </p>
      ))}
    </section>
  )
}

interface ReportBarsProps {
  bars: readonly ReportBar[]
  onOpen: (short_id: string) => void
}

function ReportBars({ bars, onOpen }: ReportBarsProps) {
  return (
    <ol className="spent">
      {bars.map(({ key, label, short_id, description, value, billableShare }) => (
        <li key={key} className="line">
          <span className="gut" />
          <div>
            {short_id === undefined ? (
              <span className="clip">{label}</span>
            ) : (
              <TaskLink className="clip" shortId={short_id} onGo={onOpen}>
                {label}
              </TaskLink>
            )}
            <span className="beam" aria-hidden="true">
              <i style={{ inlineSize: `${value * 100}%` }} />
              <i className="part" style={{ inlineSize: `${billableShare * 100}%` }} />
            </span>
            <span>{description}</span>
          </div>
        </li>
      ))}
    </ol>
  )
}

/** The table scrolls sideways in a focusable section, so that the keyboard can scroll it. */
function ReportTable({ view }: { view: ReportView }) {
  const { name, columns, chart, bars } = view
  // If there is too little data for a chart, empty rows would hide the few that are not empty.
  const isSparse = !chart && !bars
  const rows = isSparse ? view.rows.filter(([, ...cells]) => cells.some((n) => n !== 0)) : view.rows
  const shownRows = rows.slice(0, MAX_TABLE_ROWS)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must reach what scrolls
    <section className="rows" aria-label={reportMessages.tableOf(name)} tabIndex={0}>
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
          {shownRows.map((row, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have a fixed order
            <tr key={n}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have a fixed order
                <td key={column} className={typeof cell === 'number' ? 'n' : undefined}>
                  {typeof cell === 'number' ? formatNumber(cell) : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
