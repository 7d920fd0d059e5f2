import { loadAppModule } from '../../../data/app/app-version.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { queueKeys } from '../../../ui/keyboard/key-queue.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

type DeferredBundle = typeof import('./deferred-bundle.ts')

let loaded: DeferredBundle | undefined

/** Runs an action of the deferred code, at once if it is loaded, or says why it cannot be. */
export function withDeferred(
  run: (bundle: DeferredBundle) => unknown,
  onFailed?: () => void,
): void {
  // The next key already acts on the result.
  if (loaded) run(loaded)
  else
    loadAppModule(() => import('./deferred-bundle.ts')).then(
      (bundle) => {
        loaded = bundle
        run(bundle)
      },
      (error) => {
        onFailed?.()
        showErrorToast(error)
      },
    )
}

export const PICKER_FIELDS = [
  'status',
  'priority',
  'assignees',
  'tags',
  'start',
  'due',
  'repeat',
  'estimate',
  'project',
] as const
export type PickerField = (typeof PICKER_FIELDS)[number]

/** Opens the picker of a field at an element; what is typed until its code is there is for its field. */
export function openFieldPicker(
  context: ProjectPageContext,
  field: PickerField,
  ids: readonly string[],
  anchor: Element,
): void {
  if (context.locked !== undefined || ids.length === 0) return
  let isCanceled = false
  const dropKeys = queueKeys(true, () => {
    isCanceled = true
  })
  withDeferred((it) => {
    if (isCanceled || !anchor.isConnected) dropKeys()
    else it.openLoadedFieldPicker(context, field, ids, anchor)
  }, dropKeys)
}
