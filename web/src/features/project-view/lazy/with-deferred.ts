import { loadAppModule } from '../../../data/app/app-version.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'

type DeferredBundle = typeof import('./deferred-bundle.ts')

let loaded: DeferredBundle | undefined

/** Runs an action of the deferred code, at once if it is loaded, or says why it cannot be. */
export function withDeferred(run: (bundle: DeferredBundle) => unknown): void {
  // The next key already acts on the result.
  if (loaded) run(loaded)
  else
    loadAppModule(() => import('./deferred-bundle.ts')).then((bundle) => {
      loaded = bundle
      run(bundle)
    }, showErrorToast)
}
