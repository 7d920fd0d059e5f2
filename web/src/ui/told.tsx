import { told } from '../data/toasts.ts'
import { useSignal } from '../lib/signal.ts'
import { m } from '../messages/ui.ts'
import { openDialog } from './dialog.tsx'
import { RequestId } from './trouble.tsx'

/** Opens what toasts told since the page was opened, for who missed one. */
export const openTold = (): void => void openDialog({ title: m.messages, body: () => <Told /> })

function Told() {
  const all = useSignal(told)
  if (all.length === 0) return <p className="quiet">{m.noMessages}</p>
  return (
    <ol className="told">
      {all.map(({ id, text, tone, request_id }) => (
        <li key={id} className={tone === 'trouble' ? 'bad' : undefined}>
          {text}
          {request_id && <RequestId id={request_id} />}
        </li>
      ))}
    </ol>
  )
}
