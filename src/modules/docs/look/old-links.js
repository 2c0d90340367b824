// The reference of the API was here once; only the browser knows what stands behind the # of an address.
if (location.hash.startsWith('#/')) location.replace(`/docs/api${location.hash}`);
