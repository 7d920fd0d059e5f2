import type { ComponentType } from 'react'
import { lazyScreen } from '../lazy-screen.tsx'

const loadSections = () => import('./lazy-sections.ts')

/** A section of `lazy-sections.ts`. */
export const createLazySection = (name: keyof Awaited<ReturnType<typeof loadSections>>) =>
  lazyScreen(
    async (): Promise<ComponentType> => (await loadSections())[name],
    ({ children }) => children,
  )
