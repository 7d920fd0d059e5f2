import './error-message.css'
import {
  ApiResponseError,
  NetworkError,
  ScreenUnavailableError,
  SessionMismatchError,
} from '../../lib/http/problem.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { Button } from '../form/button.tsx'
import { copyText } from '../form/copy-button.tsx'
import { Icon } from '../marks/icon.tsx'

/** Returns the API's message for an error, or a general one for an unexpected error. */
export const getErrorMessage = (error: unknown): string =>
  error instanceof ApiResponseError ||
  error instanceof NetworkError ||
  error instanceof ScreenUnavailableError ||
  error instanceof SessionMismatchError
    ? error.message
    : uiMessages.failed

/** Shows an error with its status, code, request id to copy, and a retry button. */
export function ErrorMessage({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className="line trouble">
      <span className="gut">{error instanceof ApiResponseError ? error.status : '–'}</span>
      <div className="acts">
        <InlineError error={error} />
        {onRetry && (
          <Button icon="refresh" onClick={onRetry}>
            {uiMessages.retry}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Shows an error in one line, e.g. above a form or in a dialog. */
export function InlineError({ error }: { error: unknown }) {
  return (
    <div className="error" role="alert">
      <Icon name="warning" />
      <span>
        {getErrorMessage(error)}
        {error instanceof ApiResponseError && (
          <RequestIdButton code={error.code} id={error.request_id} />
        )}
      </span>
    </div>
  )
}

/** Shows the error code and request id; a click copies the id. */
export function RequestIdButton({ code, id }: { code?: string; id: string }) {
  return (
    <button
      type="button"
      className="request"
      title={uiMessages.copyRequest}
      onClick={() => void copyText(id)}
    >
      {code} {id}
    </button>
  )
}
