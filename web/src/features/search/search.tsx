import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { projectByPrefix, useBoot, useMember } from '../../data/boot.ts'
import { taskOf } from '../../data/task-store.ts'
import { m } from '../../messages/search.ts'
import { announce } from '../../ui/announce.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { PickedOf, useNewPicked } from '../my/picked.ts'
import { PickedBar } from '../my/picked-bar.tsx'
import { TaskLine } from '../my/task-line.tsx'
import { PanelBeside } from '../task/beside.tsx'
import { type Address, placesIn } from './address.ts'
import { Filters } from './filters.tsx'
import { type Hit, useFound } from './found.ts'
import { useResultKeys } from './result-keys.ts'
import { SearchField } from './search-field.tsx'
import { Marked, SnippetLine } from './snippet.tsx'

/** Tasks of all projects by words of title, description and comments; the address holds all of it. */
export function Search() {
  const address = useSearch({ from: '/w/$workspaceId/search' })
  const { q = '', who, task } = address
  const navigate = useNavigate({ from: '/w/$workspaceId/search' })
  const boot = useBoot()
  const person = useMember(who)
  const look = useCallback(
    (change: Partial<Address> & { task?: undefined }, replace = false) =>
      void navigate({ search: (now) => without({ ...now, ...change }), replace }),
    [navigate],
  )
  const type = useCallback((words: string) => look({ q: words }, true), [look])
  // An unknown prefix is of no project that the person sees: nothing is found in it.
  const project_id = address.project && (projectByPrefix(boot, address.project)?.id ?? NO_PROJECT)
  const found = useFound({ q, who, project_id, places: placesIn(address.in) })
  const { hits, error, isSettled, showMore, isCut } = found
  const asks = q !== '' || who !== undefined
  const count = asks ? hits?.length : undefined
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const close = task ? () => look({ task: undefined }) : undefined
  const order = useMemo(() => hits?.map(({ id }) => id) ?? [], [hits])
  const { picked, ids, value } = useNewPicked(order)
  const { first } = useResultKeys(list, field, value, close)
  const chosen = order.flatMap((id) => (ids.has(id) ? (taskOf(id) ?? []) : []))
  useEffect(() => {
    if (isSettled && count !== undefined) announce(m.found(count))
  }, [isSettled, count])
  const isNarrowed = address.project !== undefined || address.in !== undefined || (who && q !== '')
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <div className="gut">
              {count !== undefined && m.count(count, showMore !== undefined || isCut)}
            </div>
            <h1>{person && q === '' ? m.of(person.name) : m.title}</h1>
          </div>
          {chosen.length > 0 && (
            <PickedBar
              boot={boot}
              tasks={chosen}
              all={chosen.length < order.length ? () => picked.set(order) : undefined}
              clear={() => picked.set([])}
            />
          )}
          <search className="head-bar search-bar">
            <div className="gut" />
            <SearchField ref={field} q={q} onSearch={type} onLeave={first} />
            <Filters address={address} look={look} />
          </search>
        </header>
        <div className="scroll" aria-busy={found.isFetching}>
          {error && <Trouble error={error} onRetry={found.retry} />}
          {asks && !hits && !error && <Skeleton rows={8} />}
          {!asks && <Empty text={m.hint} />}
          {asks && isSettled && hits?.length === 0 && (
            <Empty text={q === '' ? m.nobodys : isNarrowed ? m.noneHere(q) : m.none(q)}>
              {isNarrowed && (
                <Button
                  onClick={() =>
                    look({ project: undefined, in: undefined, ...(q && { who: undefined }) })
                  }
                >
                  {m.everywhere}
                </Button>
              )}
            </Empty>
          )}
          {asks && hits && (
            <ul ref={list} className="list my found-tasks" aria-label={m.results}>
              <PickedOf value={value}>
                {hits.map((hit) => (
                  <Line key={hit.id} hit={hit} />
                ))}
              </PickedOf>
            </ul>
          )}
          {asks && (showMore || isCut) && (
            <p className="line">
              <span className="gut" />
              {showMore ? (
                <span>
                  <Button onClick={showMore}>{m.more}</Button>
                </span>
              ) : (
                <span className="quiet">{m.cut}</span>
              )}
            </p>
          )}
        </div>
      </main>
      <PanelBeside shortId={task} siblings={hits?.map(({ short_id }) => short_id) ?? []} />
    </>
  )
}

const NO_PROJECT = `prj_${'0'.repeat(26)}`

function Line({ hit }: { hit: Hit }) {
  const { id, where, snippet, comment_id } = hit
  // A title that was changed since is shown as it is now.
  const isWhole = where === 'title' && snippet?.text === taskOf(id)?.title
  return (
    <TaskLine
      id={id}
      {...(isWhole && snippet && { title: <Marked {...snippet} /> })}
      {...(comment_id !== null && { hash: comment_id })}
    >
      <SnippetLine {...hit} />
    </TaskLine>
  )
}

type InAddress = { [K in keyof Address | 'task']?: string }

/** Without what is empty: it has no place in an address. */
const without = (search: { [K in keyof InAddress]?: string | undefined }): InAddress =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value))
