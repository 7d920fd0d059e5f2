import { type ComponentType, lazy } from 'react'
import { loadAppModule } from '../../data/app/app-version.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'

const loadSections = () => import('./lazy-sections.ts')

/**
 * A section of `lazy-sections.ts`. If it cannot be loaded, only its place shows the error; trying
 * again reloads the page, because browsers do not import a module again that has failed once.
 */
export const createLazySection = (name: keyof Awaited<ReturnType<typeof loadSections>>) =>
  lazy(async (): Promise<{ default: ComponentType }> => {
    try {
      return { default: (await loadAppModule(loadSections))[name] }
    } catch (error) {
      return { default: () => <ErrorMessage error={error} onRetry={() => location.reload()} /> }
    }
  })
