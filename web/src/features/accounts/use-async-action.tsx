import { type ReactNode, useState } from 'react'
import { InlineError } from '../../ui/feedback/error-message.tsx'
import { redirectIfNoWorkspace } from './no-workspace/redirect-if-no-workspace.ts'

/** Runs the action of a button: `busy` while it runs, `errorMessage` when it has failed. */
export function useAsyncAction(): {
  busy: boolean
  errorMessage: ReactNode
  run: (action: () => Promise<unknown>) => Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await action()
    } catch (cause) {
      if (!redirectIfNoWorkspace(cause)) setError(cause)
    }
    setBusy(false)
  }
  return { busy, run, errorMessage: error === undefined ? null : <InlineError error={error} /> }
}
