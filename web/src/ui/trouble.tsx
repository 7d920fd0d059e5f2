import { Problem, Unreachable, Withheld } from '../lib/problem.ts'
import { m } from '../messages/ui.ts'
import { Button } from './button.tsx'
import { copyText } from './copy.tsx'
import { Icon } from './icon.tsx'

/** What went wrong, in the API's words. */
export const messageOf = (error: unknown): string =>
  error instanceof Problem || error instanceof Unreachable || error instanceof Withheld
    ? error.message
    : m.failed

/** An error in its place: what, the code and the request's id to copy, and another try. */
export function Trouble({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className="line trouble">
      <span className="gut">{error instanceof Problem ? error.status : '–'}</span>
      <div className="acts">
        <TroubleLine error={error} />
        {onRetry && (
          <Button icon="refresh" onClick={onRetry}>
            {m.retry}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The sentence alone, e.g. above a form or in a dialog. */
export function TroubleLine({ error }: { error: unknown }) {
  return (
    <div className="error" role="alert">
      <Icon name="warning" />
      <span>
        {messageOf(error)}
        {error instanceof Problem && <RequestId code={error.code} id={error.request_id} />}
      </span>
    </div>
  )
}

/** The code of a refusal and the id of its request, copied by a click. */
export function RequestId({ code, id }: { code?: string; id: string }) {
  return (
    <button
      type="button"
      className="request"
      title={m.copyRequest}
      onClick={() => void copyText(id)}
    >
      {code} {id}
    </button>
  )
}
