import { createContext, useContext, useEffect, useEffectEvent } from 'react'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { useOpenTask } from '../open-task-context.ts'

/** The task by which all properties have their places while a person types into one of them. */
export interface FixedPlacement {
  task: Task
  /** The `data-does` of that property, if it has one. */
  does: string | undefined
}

export const FixedPlacementContext = createContext<(placement: FixedPlacement | undefined) => void>(
  () => undefined,
)

/**
 * Keeps all properties in their places while a person types into one of them: in another place its
 * field would be a new one, without the typed text.
 */
export function useFixedPlacement(isTyping: boolean, does?: string): void {
  const { task } = useOpenTask()
  const setPlacement = useContext(FixedPlacementContext)
  const fixPlacement = useEffectEvent(() => setPlacement({ task, does }))
  useEffect(() => {
    if (!isTyping) return
    fixPlacement()
    return () => setPlacement(undefined)
  }, [isTyping, setPlacement])
}
