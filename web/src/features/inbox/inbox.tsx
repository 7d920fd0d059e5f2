import '../../styles/found-list.css'
import './inbox.css'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { type InboxTab, TAB_QUERIES } from '../../data/resources/notification-marks.ts'
import { useNotifications, useUnreadCount } from '../../data/resources/notifications.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { formatNumber } from '../../messages/plural.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { LongList } from '../../ui/layout/long-list.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { TaskSidePanel } from '../task-detail/index.ts'
import { InboxRow } from './inbox-row.tsx'
import { markAllDone } from './mark-notifications.ts'
import { groupNotifications, type NotificationGroup } from './notification-groups.ts'
import { useInboxShortcuts } from './use-inbox-shortcuts.ts'
import { useRowFocus } from './use-row-focus.ts'

const TABS = Object.keys(TAB_QUERIES) as InboxTab[]

const getSubjectId = ({ subjectId }: NotificationGroup) => subjectId

/** The notifications of the signed-in user, grouped by task, newest first. */
export function Inbox() {
  const [tab, setTab] = useState<InboxTab>('all')
  const { task } = useSearch({ from: '/w/$workspaceId' })
  const unread = useUnreadCount()
  const scroll = useRef<HTMLDivElement>(null)
  const { query, notifications } = useNotifications(tab)
  const groups = useMemo(() => groupNotifications(notifications), [notifications])
  const order = useMemo(() => groups.map(getSubjectId), [groups])
  const isDone = tab === 'done'
  const rowFocus = useRowFocus(scroll, order)
  const leaveRow = useCallback(
    ({ subjectId }: NotificationGroup) => {
      const index = order.indexOf(subjectId)
      rowFocus.focusRow(order[index + 1] ?? order[index - 1])
    },
    [order, rowFocus],
  )
  useInboxShortcuts(rowFocus, groups, isDone, leaveRow)
  useTitle(inboxMessages.title)
  const shortIds = groups.flatMap(({ newest }) => newest.task?.short_id ?? [])
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <div className="gut">
              {unread > 0 && <b title={inboxMessages.unread(unread)}>{formatNumber(unread)}</b>}
            </div>
            <h1>{inboxMessages.title}</h1>
            {tab === 'all' && groups.length > 0 && (
              <div className="acts">
                <Button
                  icon="check"
                  onClick={() => void markAllDone(notifications, query.hasNextPage)}
                >
                  {inboxMessages.allDone}
                </Button>
              </div>
            )}
          </div>
          <div className="head-bar">
            <div className="gut" />
            <nav className="views" aria-label={inboxMessages.views}>
              {TABS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-current={name === tab ? 'page' : undefined}
                  onClick={() => setTab(name)}
                >
                  {inboxMessages.tabs[name]}
                </button>
              ))}
            </nav>
          </div>
        </header>
        <div className="scroll" ref={scroll} aria-busy={query.isFetching}>
          {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
          {query.isPending && <Skeleton rows={8} />}
          {query.data && groups.length === 0 && <EmptyState text={inboxMessages.empty} />}
          {groups.length > 0 && (
            <LongList
              name="inbox"
              className="list my found-tasks inbox"
              aria-label={inboxMessages.list}
              rows={groups}
              getId={getSubjectId}
              focused={rowFocus.focused}
            >
              {(group) => <InboxRow group={group} isDone={isDone} leaveRow={leaveRow} />}
            </LongList>
          )}
          {query.hasNextPage && (
            <p className="line">
              <span className="gut" />
              <span>
                <Button onClick={() => void query.fetchNextPage()}>{inboxMessages.more}</Button>
              </span>
            </p>
          )}
        </div>
      </main>
      <TaskSidePanel shortId={task} siblings={shortIds} />
    </>
  )
}
