import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import { useMember } from '../../data/boot.ts'
import { putTasks } from '../../data/task-store.ts'
import { call } from '../../lib/call.ts'
import { m } from '../../messages/search.ts'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { TaskLine } from '../my/task-line.tsx'
import { PanelBeside } from '../task/beside.tsx'

const TYPING_MS = 200

/** Tasks of all projects by words of their title and description; the address holds what was typed. */
export function Search() {
  const { q = '', who, task } = useSearch({ from: '/w/$workspaceId/search' })
  const navigate = useNavigate({ from: '/w/$workspaceId/search' })
  const [typed, setTyped] = useState(q)
  // What this field wrote into the address comes back later than what is typed meanwhile.
  const sent = useRef(new Set<string>())
  useEffect(() => {
    if (!sent.current.delete(q)) setTyped(q)
  }, [q])
  useEffect(() => {
    if (typed.trim() === q) return
    const timer = setTimeout(() => {
      const next = typed.trim()
      sent.current.add(next)
      const search = ({ q: _, ...now }: { q?: string }) => (next ? { ...now, q: next } : now)
      void navigate({ search, replace: true })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, q, navigate])
  const asks = q !== '' || who !== undefined
  const person = useMember(who)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['search', q, who],
    enabled: asks,
    queryFn: async ({ signal }) => {
      const words = q === '' ? {} : { q: q.slice(0, 200) }
      const query = { ...words, ...(who && { assignee_id: [who] }), limit: 100 }
      const page = await call<typeof listTasks>('GET /api/v1/tasks', { query }, { signal })
      putTasks(page.data)
      return {
        ids: page.data.map(({ id }) => id),
        short: page.data.map((one) => one.short_id),
        more: page.has_more,
      }
    },
    placeholderData: (before) => before,
  })
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <div className="gut">{data && asks ? m.count(data.ids.length, data.more) : ''}</div>
            <h1>{person ? m.of(person.name) : m.title}</h1>
          </div>
          <search className="head-bar">
            <div className="gut" />
            <input
              className="field wide-search"
              type="search"
              aria-label={m.label}
              placeholder={m.placeholder}
              value={typed}
              maxLength={200}
              onChange={(event) => setTyped(event.target.value)}
            />
          </search>
        </header>
        <div className="scroll" aria-busy={isFetching}>
          {error && <Trouble error={error} onRetry={() => void refetch()} />}
          {asks && !data && !error && <Skeleton rows={8} />}
          {!asks && <Empty text={m.hint} />}
          {asks && data?.ids.length === 0 && <Empty text={q === '' ? m.nobodys : m.none(q)} />}
          {asks && data && (
            <ul className="list my">
              {data.ids.map((id) => (
                <TaskLine key={id} id={id} />
              ))}
            </ul>
          )}
        </div>
      </main>
      <PanelBeside shortId={task} siblings={data?.short ?? []} />
    </>
  )
}
