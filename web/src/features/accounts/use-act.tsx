import { type ReactNode, useState } from 'react'
import { TroubleLine } from '../../ui/trouble.tsx'
import { goHomeless } from './homeless.ts'

/** What a button does that waits for an answer: whether it is at it, and what went wrong. */
export function useAct(): {
  busy: boolean
  trouble: ReactNode
  act: (work: () => Promise<unknown>) => Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (thrown) {
      if (!goHomeless(thrown)) setError(thrown)
    }
    setBusy(false)
  }
  return { busy, act, trouble: error === undefined ? null : <TroubleLine error={error} /> }
}
