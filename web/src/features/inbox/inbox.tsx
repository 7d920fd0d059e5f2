import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import type { listNotifications } from '#resources/notifications/internal.ts'
import { useBoot } from '../../data/boot.ts'
import { call } from '../../lib/call.ts'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/inbox.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { PanelBeside } from '../task/beside.tsx'
import { grouped } from './grouped.ts'
import { useInboxKeys } from './inbox-keys.ts'
import { InboxLine } from './inbox-line.tsx'
import { INBOX, markAllDone } from './marking.ts'

type Tab = keyof typeof m.tabs
const TABS = Object.keys(m.tabs) as Tab[]

/** What a tab asks for. */
const QUERIES = {
  all: {},
  mentioned: { kind: 'mentioned' },
  assigned: { kind: 'assigned' },
  snoozed: { state: 'snoozed' },
  done: { state: 'done' },
} as const

/** What the person is told: by task, the newest first. */
export function Inbox() {
  const [tab, setTab] = useState<Tab>('all')
  const { task } = useSearch({ from: '/w/$workspaceId' })
  const { inbox } = useBoot()
  const list = useRef<HTMLUListElement>(null)
  const found = useInfiniteQuery({
    queryKey: [INBOX, tab],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...QUERIES[tab], limit: 100, ...(pageParam && { cursor: pageParam }) }
      return call<typeof listNotifications>('GET /internal/notifications', { query }, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  const groups = useMemo(
    () => grouped(found.data?.pages.flatMap(({ data }) => data) ?? []),
    [found.data],
  )
  const isDone = tab === 'done'
  useInboxKeys(list, groups, isDone)
  useTitle(m.title)
  const shortIds = groups.flatMap(({ newest }) => newest.task?.short_id ?? [])
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <div className="gut">
              {inbox.unread > 0 && <b title={m.unread(inbox.unread)}>{inbox.unread}</b>}
            </div>
            <h1>{m.title}</h1>
            {tab === 'all' && groups.length > 0 && (
              <div className="acts">
                <Button icon="check" onClick={() => void markAllDone(groups)}>
                  {m.allDone}
                </Button>
              </div>
            )}
          </div>
          <div className="head-bar">
            <div className="gut" />
            <nav className="views" aria-label={m.views}>
              {TABS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-current={name === tab ? 'page' : undefined}
                  onClick={() => setTab(name)}
                >
                  {m.tabs[name]}
                </button>
              ))}
            </nav>
          </div>
        </header>
        <div className="scroll" aria-busy={found.isFetching}>
          {found.error && <Trouble error={found.error} onRetry={() => void found.refetch()} />}
          {found.isPending && <Skeleton rows={8} />}
          {found.data && groups.length === 0 && <Empty text={m.empty} />}
          {groups.length > 0 && (
            <ul ref={list} className="list my found-tasks inbox" aria-label={m.list}>
              {groups.map((group) => (
                <InboxLine key={group.about} group={group} isDone={isDone} />
              ))}
            </ul>
          )}
          {found.hasNextPage && (
            <p className="line">
              <span className="gut" />
              <span>
                <Button onClick={() => void found.fetchNextPage()}>{m.more}</Button>
              </span>
            </p>
          )}
        </div>
      </main>
      <PanelBeside shortId={task} siblings={shortIds} />
    </>
  )
}
