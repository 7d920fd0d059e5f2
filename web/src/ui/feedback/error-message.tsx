import './error-message.css'
import { useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
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

/** Shows a toast with the reason why a request has failed, and what can be done about it. */
export const showErrorToast = (error: unknown): void =>
  void showToast({ text: getErrorMessage(error), tone: 'trouble', error })

interface ErrorProps {
  error: unknown
  /** Sends what has failed once more. */
  onRetry?: () => void
}

/** Shows an error with its status, code, request id to copy, and a retry button. */
export function ErrorMessage({ error, onRetry }: ErrorProps) {
  return (
    <div className="line trouble">
      <span className="gut">{error instanceof ApiResponseError ? error.status : '–'}</span>
      <div className="acts">
        <InlineError error={error} {...(onRetry && { onRetry })} />
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
export function InlineError({ error, onRetry }: ErrorProps) {
  return (
    <div className="error" role="alert">
      <Icon name="warning" />
      <span>
        {getErrorMessage(error)}
        <RequestIdButton error={error} withCode />
      </span>
      <RemedyButton error={error} {...(onRetry && { onSolved: onRetry })} />
    </div>
  )
}

/** Shows the request id of an API error; a click copies it. */
export function RequestIdButton({ error, withCode }: { error: unknown; withCode?: boolean }) {
  if (!(error instanceof ApiResponseError) || error.request_id === '') return null
  return (
    <button
      type="button"
      className="request"
      title={uiMessages.copyRequest}
      onClick={() => void copyText(error.request_id)}
    >
      {withCode && error.code} {error.request_id}
    </button>
  )
}

interface RemedyButtonProps {
  error: unknown
  /** Sends what was refused once more, after a remedy with which it succeeds. */
  onSolved?: () => unknown
  onDone?: () => void
}

/** Offers what can be done about a refusal, if there is something. */
export function RemedyButton({ error, onSolved, onDone }: RemedyButtonProps) {
  const [busy, setBusy] = useState(false)
  const remedy = error instanceof ApiResponseError ? error.remedy : undefined
  if (!remedy) return null
  const run = async () => {
    setBusy(true)
    try {
      await remedy.run()
      onDone?.()
      if (remedy.isSolution) await onSolved?.()
    } catch (thrown) {
      showErrorToast(thrown)
    }
    setBusy(false)
  }
  return (
    <Button kind="plain" busy={busy} onClick={() => void run()}>
      {remedy.label}
    </Button>
  )
}
