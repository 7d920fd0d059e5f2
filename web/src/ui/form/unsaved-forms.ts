import { type RefObject, useEffect } from 'react'
import { atom } from '../../lib/state/atom.ts'

/** The forms whose edits are nowhere but on the page. */
export const unsavedForms = atom<readonly HTMLFormElement[]>([])

export function markFormUnsaved(form: HTMLFormElement, isUnsaved: boolean): void {
  const others = unsavedForms.get().filter((one) => one !== form)
  if (isUnsaved || others.length < unsavedForms.get().length)
    unsavedForms.set(isUnsaved ? [...others, form] : others)
}

/** Forgets a form that has left the page, and follows whether it has edits if its screen tells so. */
export function useUnsavedForm(
  form: RefObject<HTMLFormElement | null>,
  hasEdits: boolean | undefined,
): void {
  useEffect(() => {
    if (form.current && hasEdits !== undefined) markFormUnsaved(form.current, hasEdits)
  }, [form, hasEdits])
  useEffect(() => {
    const { current } = form
    return () => {
      if (current) markFormUnsaved(current, false)
    }
  }, [form])
}
