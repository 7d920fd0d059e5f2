import { useQueries } from '@tanstack/react-query'
import { loadIndex, searchOf } from '../../data/project-index.ts'
import { m } from '../../messages/tasks.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useAdding } from './adding.ts'
import { withoutClause } from './filter.ts'
import { queryOf } from './filter-query.ts'
import { chipText } from './filter-words.ts'
import { firstStatus } from './new-task.ts'
import { useScreen } from './screen.ts'
import type { View } from './view.ts'

interface Props {
  view: View
  look: (change: Partial<View>) => void
}

/** Where no task is: none at all, or none that the filter lets through; then which condition costs most. */
export function NoneLeft({ view, look }: Props) {
  const { project, locked } = useScreen()
  const { begin } = useAdding()
  if (view.filter.length > 0) return <LeftOut view={view} look={look} />
  const group = view.group === 'status' ? (firstStatus(project) ?? '') : 'none'
  return (
    <div className="scroll">
      <Empty text={m.none}>
        <Button kind="primary" keys="c" reason={locked} onClick={() => begin({ group })}>
          {m.newTask}
        </Button>
      </Empty>
    </div>
  )
}

function LeftOut({ view, look }: Props) {
  const { project, meaning } = useScreen()
  const without = view.filter.map((clause) => withoutClause(view.filter, clause))
  const totals = useQueries({
    queries: without.map((filter) => {
      const { api, beyond } = queryOf(filter, meaning)
      const search = searchOf({ ...api, ...beyond, group: 'none' })
      return {
        queryKey: ['index', project.id, search],
        queryFn: () => loadIndex(project.id, search),
        structuralSharing: false,
      }
    }),
    combine: (results) => results.map(({ data }) => data?.index.total ?? 0),
  })
  const most = Math.max(...totals)
  const at = totals.indexOf(most)
  const clause = view.filter[at]
  const filter = without[at]
  return (
    <div className="scroll">
      <Empty
        text={
          <>
            {m.noneLeft} {clause && most > 0 && m.mostLeftOut(chipText(clause, meaning), most)}
          </>
        }
      >
        {clause && filter && most > 0 && (
          <Button onClick={() => look({ filter })}>{m.takeOff(chipText(clause, meaning))}</Button>
        )}
        <Button kind="plain" onClick={() => look({ filter: [] })}>
          {m.clearFilter}
        </Button>
      </Empty>
    </div>
  )
}
