import './message-history.css'
import { toastHistory } from '../../data/app/toasts.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { openDialog } from '../overlays/dialog.tsx'
import { RequestIdButton } from './error-message.tsx'

/** Opens a dialog with all toasts since the page was loaded. */
export const openMessageHistory = (): void =>
  void openDialog({ title: uiMessages.messages, body: () => <MessageHistory /> })

function MessageHistory() {
  const messages = useAtom(toastHistory)
  if (messages.length === 0) return <p className="quiet">{uiMessages.noMessages}</p>
  return (
    <ol className="told">
      {messages.map(({ id, text, tone, request_id }) => (
        <li key={id} className={tone === 'trouble' ? 'bad' : undefined}>
          {text}
          {request_id && <RequestIdButton id={request_id} />}
        </li>
      ))}
    </ol>
  )
}
