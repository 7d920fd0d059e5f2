import './recent-changes.css'
import type { ReactNode } from 'react'
import type { Toast } from '../../data/app/toasts.ts'
import {
  type ListedOperation,
  reverseOperation,
  useIsBeingUndone,
  useOperations,
  useUnsentMessages,
} from '../../data/resources/operations.ts'
import { formatDayTime, formatRelative } from '../../lib/dates/instant.ts'
import { useTimedText } from '../../lib/dates/use-clock.ts'
import { recentChangesMessages } from '../../messages/app/recent-changes.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { webhookMessages } from '../../messages/settings/webhooks.ts'
import { ErrorMessage, RequestIdButton } from '../../ui/feedback/error-message.tsx'
import { describeMessage, ReverseButton } from '../../ui/feedback/toasts.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { openDialog } from '../../ui/overlays/dialog.tsx'

/** Opens a dialog with what the person has changed, on whichever device, each with its undo. */
export const openRecentChanges = (): void =>
  void openDialog({ title: shellMessages.recentChanges, body: () => <RecentChanges /> })

function RecentChanges() {
  const unsent = useUnsentMessages()
  const { operations, error, loadMore, retry } = useOperations()
  const isEmpty = operations?.length === 0 && unsent.length === 0
  return (
    <>
      <ol className="recent-changes">
        {unsent.map((message) => (
          <UnsentChange key={message.id} message={message} />
        ))}
        {operations?.map((operation) => (
          <RecentChange key={operation.id} operation={operation} />
        ))}
      </ol>
      {error && <ErrorMessage error={error} onRetry={retry} />}
      {!operations && !error && <Skeleton rows={5} />}
      {isEmpty && !error && <p className="quiet">{recentChangesMessages.none}</p>}
      {loadMore && (
        <Button kind="plain" onClick={loadMore}>
          {recentChangesMessages.more}
        </Button>
      )}
    </>
  )
}

/** What this page has not sent, or why something has failed. */
function UnsentChange({ message }: { message: Toast }) {
  const { tone, at, mode, error, action } = message
  return (
    <ChangeRow
      instant={new Date(at).toISOString()}
      isUndone={mode === 'undone'}
      text={
        <span className={tone === 'trouble' ? 'bad' : undefined}>{describeMessage(message)}</span>
      }
    >
      <RequestIdButton error={error} />
      {tone === 'trouble' && action && (
        <Button kind="plain" onClick={action.run}>
          {action.label}
        </Button>
      )}
      <ReverseButton message={message} />
    </ChangeRow>
  )
}

function RecentChange({ operation }: { operation: ListedOperation }) {
  const { id, created_at, isUndone, reversed_id, event_count, changes } = operation
  const isBusy = useIsBeingUndone(reversed_id)
  const text = describeOperation(operation)
  const by = describeCredential(operation)
  // Nothing can be said, and taken back, of records that the person does not see any more.
  const isHidden = event_count > 0 && changes.length === 0
  return (
    <ChangeRow
      instant={created_at}
      isUndone={isUndone}
      text={
        <span>
          {isUndone ? recordChangeMessages.undone(text) : text}
          {by !== undefined && (
            <span className="quiet" title={operation.actor.credential_id ?? undefined}>
              {` · ${by}`}
            </span>
          )}
        </span>
      }
    >
      {!isHidden && (
        <Button
          kind="plain"
          busy={isBusy}
          onClick={() => reverseOperation(reversed_id, changes[0]?.record_id ?? id, text)}
        >
          {isUndone ? uiMessages.redo : uiMessages.undo}
        </Button>
      )}
    </ChangeRow>
  )
}

interface ChangeRowProps {
  instant: string
  isUndone: boolean
  text: ReactNode
  children: ReactNode
}

function ChangeRow({ instant, isUndone, text, children }: ChangeRowProps) {
  return (
    <li data-mode={isUndone ? 'undone' : undefined}>
      <time className="quiet" dateTime={instant} title={formatDayTime(instant)}>
        {useTimedText(() => formatRelative(instant))}
      </time>
      {text}
      {children}
    </li>
  )
}

/** What an operation did to its first record, and how much more. */
function describeOperation({ changes: [first], event_count }: ListedOperation): string {
  if (!first)
    return event_count > 0 ? recentChangesMessages.hidden : recentChangesMessages.deletedSetting
  const what = webhookMessages.eventWords[first.event_type] ?? first.event_type
  const text = first.name === null ? what : recentChangesMessages.named(what, first.name)
  return event_count > 1 ? recentChangesMessages.andMore(text, event_count - 1) : text
}

/** With what an operation was done; undefined if the person has done it in the app. */
const describeCredential = ({ actor: { type }, import_id }: ListedOperation): string | undefined =>
  import_id === null ? recentChangesMessages.by[type] : recentChangesMessages.isImport
