import { createContext, Fragment, useId } from 'react'

/**
 * Takes the place of what React Aria brings along for forms that a browser validates, pages that a server renders, and
 * long presses: nothing here asks for those, and they are a twentieth of what floats. `vite.config.ts` says where.
 */
export const useFormValidation = (): void => undefined

export const useFormReset = (): void => undefined

/** Only what the app itself says of a field. */
export const useFormValidationState = ({ isInvalid = false }: { isInvalid?: boolean }) => ({
  displayValidation: { isInvalid, validationErrors: [], validationDetails: {} },
})

export const useLongPress = () => ({ longPressProps: {} })

export const useIsSSR = (): boolean => false

export function useSSRSafeId(given?: string): string {
  const own = useId()
  return given || `aria${own}`
}

/** Parts that the app does not use ask for these by name. */
export const FormValidationContext = createContext({})
export const privateValidationStateProp = ''
export const DEFAULT_VALIDATION_RESULT = {}
export const VALID_VALIDITY_STATE = {}
export const mergeValidation = (): undefined => undefined
export { Fragment as SSRProvider }
