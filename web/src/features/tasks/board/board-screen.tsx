import '../../../styles/board.css'
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { m } from '../../../messages/tasks.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { PanelBeside } from '../../task/beside.tsx'
import { type Adding, AddingContext, type Place } from '../adding.ts'
import { cellOf, partsOfCell } from '../groups.ts'
import { Head } from '../head.tsx'
import { useListKeys } from '../list-keys.ts'
import type { ScreenProps } from '../list-screen.tsx'
import { MoreMenu } from '../more-menu.tsx'
import { NoneLeft, useParts } from '../parts.ts'
import { put, spotOf } from '../reorder.ts'
import { useScreen } from '../screen.ts'
import { useSiblings } from '../siblings.ts'
import { useBoardKeys } from './board-keys.ts'
import { BoardRows } from './board-rows.ts'
import { useCardDrag } from './card-drag.ts'
import { Column } from './column.tsx'
import { ColumnPicker } from './column-picker.tsx'
import { ColumnsContext } from './columns-context.ts'
import { useKept } from './kept.ts'
import { LaneRow } from './lane.tsx'
import { foldOf } from './lanes.ts'
import { useBoard } from './use-board.ts'

/** A project as a board: slips in columns that are statuses, or priorities. */
export function BoardScreen({ view, look, open }: ScreenProps) {
  const screen = useScreen()
  const { project } = screen
  const [kept, keep] = useKept(project.id, view.group)
  const [all, showAll] = useState(false)
  const [place, setPlace] = useState<Place>()
  const [, note] = useState(0)
  const rows = useMemo(() => new BoardRows(project.id, () => note((n) => n + 1)), [project.id])
  const { shown, error, retry, columns, lanes, layout } = useBoard(screen, view, {
    ...{ folded: kept.folded, all, adding: place?.group },
  })
  const isLaned = lanes !== undefined
  const adding = useMemo(
    (): Adding => ({
      place,
      begin(place) {
        // Asked for in no lane, it is of nobody, or without a priority.
        const { column, lane = isLaned ? 'none' : undefined } = partsOfCell(place.group)
        setPlace({ ...place, group: cellOf({ column, lane }) })
      },
      end: () => setPlace(undefined),
    }),
    [place, isLaned],
  )
  const move = useRef((_number: number, _from: string, _to: string): void => undefined)
  useEffect(() => {
    move.current = (number, from, to) => {
      const [section, other] = [from, to].map((key) =>
        layout.sections.find((one) => one.key === key),
      )
      if (!section || !other || from === to) return
      const last = other.lines.at(-1)
      const beside = last && { number: last.number, after: true }
      put(screen, view, number, spotOf(section, number), { key: to, beside })
    }
  })
  const names = [...columns, ...(lanes ?? [])].map(({ key, label }) => `${key} ${label}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards render again when columns are called otherwise, not when they fill
  const targets = useMemo(
    () => ({
      columns: columns.map(({ key, label }) => ({ key, label })),
      lanes: (lanes ?? []).map(({ key, label }) => ({ key, label })),
      move: (number: number, from: string, to: string) => move.current(number, from, to),
    }),
    [names],
  )
  const grasp = useCardDrag({
    ...{ layout, byHand: view.sort === 'position' },
    drop: (number, from, to) => put(screen, view, number, from, to),
  })
  useListKeys({ screen, view, look, layout, adding, open })
  useParts()
  useBoardKeys(screen, view, layout)
  const board = useRef<HTMLDivElement>(null)
  const fold = (key: string, was: boolean) => keep({ folded: { ...kept.folded, [key]: !was } })
  const none = shown?.index.total === 0 && view.filter.length > 0
  return (
    <>
      <main className="paper on-desk" id="work">
        <AddingContext value={adding}>
          <Head
            {...{ view, look }}
            index={shown?.index}
            everything={() => layout.everything}
            more={<MoreMenu view={view} />}
          />
          {error && !shown && <Trouble error={error} onRetry={retry} />}
          {!shown && !error && <Skeleton rows={12} />}
          {none && (
            <Suspense>
              <NoneLeft view={view} look={look} />
            </Suspense>
          )}
          {shown && !none && (
            <ColumnsContext value={targets}>
              <ColumnPicker columns={columns} board={board} />
              <div className={lanes ? 'board lanes' : 'board'} ref={board} onPointerDown={grasp}>
                <Heads isLaned={isLaned}>
                  {columns.map((section) => {
                    const { key, count, lines } = section
                    return (
                      <Column
                        key={key}
                        {...{ section, low: isLaned }}
                        rows={isLaned ? undefined : rows}
                        limit={kept.limits[key]}
                        onFold={() => fold(key, section.folded)}
                        onLimit={(limit) => keep({ limits: withLimit(kept.limits, key, limit) })}
                        after={
                          count > lines.length && <Rest count={count} onAll={() => showAll(true)} />
                        }
                      />
                    )
                  })}
                </Heads>
                {lanes?.map((lane, at) => (
                  <LaneRow
                    key={lane.key}
                    {...{ lane, rows, board }}
                    first={at < FIRST_LANES}
                    onFold={() => fold(foldOf(lane.key), lane.folded)}
                  />
                ))}
              </div>
            </ColumnsContext>
          )}
        </AddingContext>
      </main>
      <PanelBeside shortId={open} siblings={useSiblings(layout, project, open)} />
    </>
  )
}

const FIRST_LANES = 3

/** With lanes the heads of the columns stand above all of them. */
const Heads = ({ isLaned, children }: { isLaned: boolean; children: ReactNode }) =>
  isLaned ? <div className="cols">{children}</div> : children

const Rest = ({ count, onAll }: { count: number; onAll: () => void }) => (
  <>
    {m.recent}{' '}
    <button type="button" className="link" onClick={onAll}>
      {m.showAll(count)}
    </button>
  </>
)

function withLimit(
  limits: Readonly<Record<string, number>>,
  key: string,
  limit: number | undefined,
) {
  const { [key]: _, ...rest } = limits
  return limit === undefined ? rest : { ...rest, [key]: limit }
}
