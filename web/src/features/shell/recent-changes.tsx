import './recent-changes.css'
import { messages, type Toast } from '../../data/app/toasts.ts'
import { formatDayTime, formatRelative } from '../../lib/dates/instant.ts'
import { useTimedText } from '../../lib/dates/use-clock.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { RequestIdButton } from '../../ui/feedback/error-message.tsx'
import { describeMessage, ReverseButton } from '../../ui/feedback/toasts.tsx'
import { Button } from '../../ui/form/button.tsx'
import { openDialog } from '../../ui/overlays/dialog.tsx'

/** Opens a dialog with the last changes since the page was loaded, each with its undo. */
export const openRecentChanges = (): void =>
  void openDialog({ title: shellMessages.recentChanges, body: () => <RecentChanges /> })

function RecentChanges() {
  const all = useAtom(messages)
  if (all.length === 0) return <p className="quiet">{recordChangeMessages.none}</p>
  return (
    <ol className="recent-changes">
      {all.map((message) => (
        <RecentChange key={message.id} message={message} />
      ))}
    </ol>
  )
}

function RecentChange({ message }: { message: Toast }) {
  const { tone, at, mode, error, action } = message
  const instant = new Date(at).toISOString()
  return (
    <li data-mode={mode}>
      <time className="quiet" dateTime={instant} title={formatDayTime(instant)}>
        {useTimedText(() => formatRelative(instant))}
      </time>
      <span className={tone === 'trouble' ? 'bad' : undefined}>{describeMessage(message)}</span>
      <RequestIdButton error={error} />
      {tone === 'trouble' && action && (
        <Button kind="plain" onClick={action.run}>
          {action.label}
        </Button>
      )}
      <ReverseButton message={message} />
    </li>
  )
}
