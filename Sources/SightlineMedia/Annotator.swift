import Sightline
