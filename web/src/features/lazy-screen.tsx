import { type ComponentType, lazy, type ReactNode } from 'react'
import { loadAppModule } from '../data/app/app-version.ts'
import { ErrorMessage } from '../ui/feedback/error-message.tsx'

/**
 * A screen that is loaded when it is opened. If it cannot be loaded, only its place shows the error;
 * trying again reloads the page, because browsers do not import a module again that has failed once.
 */
export const lazyScreen = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  Place: ComponentType<P & { children: ReactNode }>,
) =>
  lazy(async (): Promise<{ default: ComponentType<P> }> => {
    try {
      return { default: await loadAppModule(load) }
    } catch (error) {
      const message = <ErrorMessage error={error} onRetry={() => location.reload()} />
      return { default: (props) => <Place {...props}>{message}</Place> }
    }
  })
