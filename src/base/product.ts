// The name of the product, and the MongoDB version that clients see. Drivers and shells branch on
// that version, so it is defined once.

export const productName = 'Sigil'

/** The release that the MongoDB protocol imitates, as a standalone server. */
export const referenceVersion = '7.0.15'
export const referenceVersionArray = [7, 0, 15, 0] as const
export const referenceCompatibilityVersion = '7.0'

/** Wire versions of hello: 21 is MongoDB 7.0. Current drivers refuse a maximum below 9. */
export const wireVersionMin = 0
export const wireVersionMax = 21
